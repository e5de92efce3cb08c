//! Names `libtorch_cuda` to the linker where training is built.
//!
//! Nothing in the program calls into that library by name, so the linker would drop
//! it, and a program without it finds no GPU. A build script's words to the linker
//! reach only its own package; so the place is handed on to `cli`, whose script says
//! the same for the program.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Set by the build script of `torch-sys` where that is built.
    let Ok(folder) = std::env::var("DEP_TCH_LIBTORCH_LIB") else {
        return;
    };
    println!("cargo:libtorch_lib={folder}");
    // The search path for development; LD_LIBRARY_PATH goes before it.
    println!("cargo:rustc-link-arg=-Wl,--enable-new-dtags,-rpath,{folder}");
    if std::path::Path::new(&folder)
        .join("libtorch_cuda.so")
        .exists()
    {
        for argument in ["-Wl,--no-as-needed", "-ltorch_cuda", "-Wl,--as-needed"] {
            println!("cargo:rustc-link-arg={argument}");
        }
    }
}

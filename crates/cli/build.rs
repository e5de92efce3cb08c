//! Names `libtorch_cuda` to the linker where `mendel train` is built; the reasons are
//! in the build script of `nets`, which tells where the library lies.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let Ok(folder) = std::env::var("DEP_MENDEL_NETS_LIBTORCH_LIB") else {
        return;
    };
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

//! Functions of nodes.

use mendel_evolve::Function;

#[test]
fn every_function_has_its_values() {
    // At −1, 0 and 2, computed with another program.
    let table = [
        (Function::Identity, [-1.0, 0.0, 2.0]),
        (
            Function::Sigmoid,
            [0.268_941_421_369_995_1, 0.5, 0.880_797_077_977_882_3],
        ),
        (
            Function::SteepSigmoid,
            [0.007_391_541_344_281_971, 0.5, 0.999_944_551_475_277_2],
        ),
        (
            Function::SharpSigmoid,
            [0.006_692_850_924_284_855_4, 0.5, 0.999_954_602_131_297_6],
        ),
        (
            Function::BipolarSigmoid,
            [-0.985_216_917_311_436, 0.0, 0.999_889_102_950_554_3],
        ),
        (
            Function::Tanh,
            [-0.761_594_155_955_764_9, 0.0, 0.964_027_580_075_816_9],
        ),
        (
            Function::SharpTanh,
            [-0.986_614_298_151_430_3, 0.0, 0.999_909_204_262_595_1],
        ),
        (Function::Relu, [0.0, 0.0, 2.0]),
        (Function::Clamped, [-1.0, 0.0, 1.0]),
        (
            Function::Gauss,
            [0.367_879_441_171_442_33, 1.0, 0.018_315_638_888_734_18],
        ),
        (
            Function::SharpGauss,
            [0.006_737_946_999_085_467, 1.0, 2.061_153_622_438_558e-9],
        ),
        (
            Function::BipolarGauss,
            [-0.996_139_091_727_544_6, 1.0, -0.999_999_999_972_224_1],
        ),
        (
            Function::Sine,
            [-0.841_470_984_807_896_5, 0.0, 0.909_297_426_825_681_7],
        ),
        (
            Function::SharpSine,
            [0.958_924_274_663_138_5, 0.0, -0.544_021_110_889_369_8],
        ),
        (
            Function::Cosine,
            [0.540_302_305_868_139_8, 1.0, -0.416_146_836_547_142_4],
        ),
        (Function::Abs, [1.0, 0.0, 2.0]),
        (Function::Square, [1.0, 0.0, 4.0]),
        (Function::Step, [0.0, 0.0, 1.0]),
    ];
    assert_eq!(table.map(|(function, _)| function), Function::ALL);
    for (function, values) in table {
        for (x, expected) in [-1.0, 0.0, 2.0].into_iter().zip(values) {
            let found = function.at(x);
            assert!(
                (found - expected).abs() <= 1e-15,
                "{function:?} at {x}: {found}"
            );
        }
    }
}

#[test]
fn no_sum_makes_a_number_that_is_none() {
    let sums = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -1e300];
    for function in Function::ALL {
        for x in sums {
            assert!(function.at(x).is_finite(), "{function:?} at {x}");
        }
    }
}

#[test]
fn a_settings_file_names_them_in_small_letters() {
    let name = |function| serde_json::to_string(&function).unwrap();
    assert_eq!(name(Function::SteepSigmoid), "\"steep-sigmoid\"");
    assert_eq!(name(Function::Sine), "\"sine\"");
}

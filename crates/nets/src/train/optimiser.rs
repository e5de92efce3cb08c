//! The step from a gradient to better numbers.

use tch::{Tensor, no_grad};

use super::recipe::{Method, OptimiserSettings};

/// Adam, its decoupled form or plain descent, over one vector of parameters.
///
/// Written out because the framework's own cannot be saved: its state is what a
/// checkpoint must hold for an exact resume.
///
/// # Source
///
/// Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015; Loshchilov
/// and Hutter, "Decoupled Weight Decay Regularization", 2019.
///
/// # Where this differs
///
/// Decay touches kernels only, not biases, gains or shifts.
#[derive(Debug)]
pub(crate) struct Optimiser {
    settings: OptimiserSettings,
    /// The moving mean of gradients.
    mean: Tensor,
    /// The moving mean of their squares; Adam's only.
    square: Tensor,
    /// How many of the first numbers decay.
    kernels: i64,
}

impl Optimiser {
    /// For parameters of which the first `kernels` decay.
    pub(crate) fn new(settings: OptimiserSettings, parameters: &Tensor, kernels: i64) -> Self {
        let zeros = || no_grad(|| parameters.detach().zeros_like());
        Self {
            settings,
            mean: zeros(),
            square: zeros(),
            kernels,
        }
    }

    pub(crate) fn state(&self) -> [&Tensor; 2] {
        [&self.mean, &self.square]
    }

    pub(crate) fn state_mut(&mut self) -> [&mut Tensor; 2] {
        [&mut self.mean, &mut self.square]
    }

    /// Takes step number `step`, counted from 0, along the gradient that
    /// `parameters` carry, which is spent.
    pub(crate) fn step(&mut self, parameters: &mut Tensor, step: u64, rate: f64) {
        no_grad(|| {
            let mut gradient = parameters.grad();
            self.clip(&mut gradient);
            match self.settings.kind {
                Method::Adam => {
                    self.add_decay(parameters, &mut gradient);
                    self.adam(parameters, &gradient, step, rate);
                }
                Method::AdamW => {
                    let keep = 1.0 - rate * self.settings.weight_decay;
                    if self.settings.weight_decay > 0.0 {
                        let _ = parameters.narrow(0, 0, self.kernels).g_mul_scalar_(keep);
                    }
                    self.adam(parameters, &gradient, step, rate);
                }
                Method::Sgd => {
                    self.add_decay(parameters, &mut gradient);
                    self.descend(parameters, &gradient, rate);
                }
            }
            let _ = gradient.zero_();
        });
    }

    /// Shortens a gradient that is too long. The length stays on the device.
    fn clip(&self, gradient: &mut Tensor) {
        if self.settings.clip > 0.0 {
            let length = gradient.norm() + 1e-6;
            let factor = (length.reciprocal() * self.settings.clip).clamp_max(1.0);
            let _ = gradient.g_mul_(&factor);
        }
    }

    fn add_decay(&self, parameters: &Tensor, gradient: &mut Tensor) {
        if self.settings.weight_decay > 0.0 {
            let pull = parameters.narrow(0, 0, self.kernels) * self.settings.weight_decay;
            let _ = gradient.narrow(0, 0, self.kernels).g_add_(&pull);
        }
    }

    fn adam(&mut self, parameters: &mut Tensor, gradient: &Tensor, step: u64, rate: f64) {
        const EPSILON: f64 = 1e-8;
        let [first, second] = self.settings.betas;
        let _ = self.mean.lerp_(gradient, 1.0 - first);
        let _ = self.square.lerp_(&(gradient * gradient), 1.0 - second);
        let count = step as f64 + 1.0;
        let correct_mean = 1.0 - libm::pow(first, count);
        let correct_square = libm::sqrt(1.0 - libm::pow(second, count));
        let width = self.square.sqrt() / correct_square + EPSILON;
        let change = &self.mean / width * (rate / correct_mean);
        let _ = parameters.g_sub_(&change);
    }

    fn descend(&mut self, parameters: &mut Tensor, gradient: &Tensor, rate: f64) {
        let _ = self.mean.g_mul_scalar_(self.settings.momentum);
        let _ = self.mean.g_add_(gradient);
        let _ = parameters.g_sub_(&(&self.mean * rate));
    }
}

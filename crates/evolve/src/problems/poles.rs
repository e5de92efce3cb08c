//! Poles that fall unless the cart under them moves.

/// Metres and metres a second of the cart; then, for each pole, radians from the
/// vertical and radians a second, the long pole first.
pub type CartState = [f64; 6];

const GRAVITY: f64 = -9.8;
const CART_MASS: f64 = 1.0;
const CART_FRICTION: f64 = 0.0005;
const HINGE_FRICTION: f64 = 0.000_002;
/// Half the length of each pole, in metres.
const HALF_LENGTHS: [f64; 2] = [0.5, 0.05];
const POLE_MASSES: [f64; 2] = [0.1, 0.01];
/// The force of an output of 1, in newtons.
const FORCE: f64 = 10.0;
/// Half the length of the track, in metres.
const TRACK: f64 = 2.4;
/// Seconds of one step of integration; an output holds for two of them.
const TICK: f64 = 0.01;
const TICKS: u32 = 2;
/// The usual divisors of what a controller sees, so that it is seldom above 1.
const SCALES: CartState = [4.8, 2.0, 0.52, 2.0, 0.52, 2.0];

/// A cart on a track with one pole or two, which a controller must keep upright by
/// pushing the cart to and fro.
///
/// A controller is any function of what it sees: position and velocity of the cart, then
/// angle and velocity of each pole, scaled to about ±1, the velocities only if it may
/// see them. Its answer from −1 to 1 is the force from −10 to 10 N for the next
/// 0.02 s. A controller with a memory must begin afresh for each call.
///
/// # Source
///
/// Wieland, "Evolving neural network controllers for unstable systems", *IJCNN*, 1991,
/// with the constants, the integration (Runge–Kutta of fourth order, 0.01 s) and the
/// limits of Gomez, Schmidhuber and Miikkulainen, "Accelerated Neural Evolution
/// through Cooperatively Coevolved Synapses", *Journal of Machine Learning Research*
/// 9, 2008.
///
/// # Where this differs
///
/// The scales of what is seen are those of the programs of both Gomez and Stanley, not
/// of a paper. A force that is no number lets the poles fall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poles {
    two: bool,
    velocities: bool,
    limit: f64,
}

impl Poles {
    /// The steps after which a controller has succeeded.
    pub const SUCCESS: u32 = 100_000;
    /// The steps of a trial for [`damping`](Self::damping) and from other starts.
    pub const TRIAL: u32 = 1000;

    /// One pole, which must stay within 12°.
    pub fn single(velocities: bool) -> Self {
        Self {
            two: false,
            velocities,
            limit: 12.0_f64.to_radians(),
        }
    }

    /// A pole of 1 m and one of 0.1 m, which must stay within 36°.
    pub fn double(velocities: bool) -> Self {
        Self {
            two: true,
            velocities,
            limit: 36.0_f64.to_radians(),
        }
    }

    pub fn inputs(&self) -> usize {
        let things = if self.two { 3 } else { 2 };
        if self.velocities { 2 * things } else { things }
    }

    /// Where the task begins: the long pole at 4°, all else at rest.
    pub fn start() -> CartState {
        [0.0, 0.0, 4.0_f64.to_radians(), 0.0, 0.0, 0.0]
    }

    /// How many steps a controller keeps the poles up and the cart on its track, at
    /// most `steps`.
    pub fn balance(
        &self,
        start: CartState,
        steps: u32,
        controller: impl FnMut(&[f64]) -> f64,
    ) -> u32 {
        self.run(start, steps, controller, |_, _| {})
    }

    /// The score that rewards rest, and how many of its 1000 steps were balanced: 0.1 of
    /// their share, and 0.9 of 0.75 / Σ (|x| + |ẋ| + |θ₁| + |θ̇₁|) over the last 100 of
    /// them, if there are as many. A controller that keeps the poles up by shaking
    /// the cart, which needs no velocities, gets little.
    ///
    /// # Source
    ///
    /// Gruau, Whitley and Pyeatt, "A Comparison between Cellular Encoding and Direct
    /// Encoding for Genetic Neural Networks", *Genetic Programming*, 1996.
    ///
    /// # Where this differs
    ///
    /// The sum is over 100 steps, where the printed one runs from t − 100 to t.
    pub fn damping(&self, controller: impl FnMut(&[f64]) -> f64) -> (f64, u32) {
        const LAST: usize = 100;
        let mut unrest = [0.0; LAST];
        let watch = |step: u32, state: &CartState| {
            unrest[step as usize % LAST] = state[..4].iter().map(|it| it.abs()).sum();
        };
        let steps = self.run(Self::start(), Self::TRIAL, controller, watch);
        let calm = if steps as usize >= LAST {
            0.75 / unrest.iter().sum::<f64>().max(f64::MIN_POSITIVE)
        } else {
            0.0
        };
        let share = f64::from(steps) / f64::from(Self::TRIAL);
        (0.1 * share + 0.9 * calm, steps)
    }

    /// The 625 other starts from which a controller should balance, too: five values each
    /// of the cart's position and velocity and the long pole's angle and velocity.
    ///
    /// # Source
    ///
    /// Gruau, Whitley and Pyeatt, 1996, as at [`damping`](Self::damping); they ask for
    /// 200 of them, 1000 steps each.
    ///
    /// # Where this differs
    ///
    /// Nowhere.
    pub fn starts() -> impl Iterator<Item = CartState> {
        const SHARES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];
        let widest = [2.16, 1.35, 3.6_f64.to_radians(), 8.6_f64.to_radians()];
        (0..5_usize.pow(4)).map(move |number| {
            let mut state = [0.0; 6];
            let mut rest = number;
            for (value, widest) in state.iter_mut().zip(widest) {
                *value = widest * (2.0 * SHARES[rest % 5] - 1.0);
                rest /= 5;
            }
            state
        })
    }

    /// From how many of the 625 [`starts`](Self::starts) controllers balance 1000 steps.
    /// `controller` makes a fresh one for each start.
    pub fn generalisation<C>(&self, mut controller: impl FnMut() -> C) -> u32
    where
        C: FnMut(&[f64]) -> f64,
    {
        let balanced = |start: &CartState| {
            let steps = self.balance(*start, Self::TRIAL, controller());
            steps == Self::TRIAL
        };
        Self::starts().filter(balanced).count() as u32
    }

    /// As [`balance`](Self::balance); `watch` sees the number of each balanced step,
    /// from 0, and the state after it.
    pub fn run(
        &self,
        start: CartState,
        steps: u32,
        mut controller: impl FnMut(&[f64]) -> f64,
        mut watch: impl FnMut(u32, &CartState),
    ) -> u32 {
        let mut state = start;
        for step in 0..steps {
            let (seen, count) = self.seen(&state);
            let force = FORCE * controller(&seen[..count]).clamp(-1.0, 1.0);
            for _ in 0..TICKS {
                state = if self.two {
                    tick::<2>(&state, force)
                } else {
                    tick::<1>(&state, force)
                };
            }
            if self.fallen(&state) {
                return step;
            }
            watch(step, &state);
        }
        steps
    }

    /// What a controller sees, and how many numbers that are.
    fn seen(&self, state: &CartState) -> (CartState, usize) {
        let (mut seen, mut count) = ([0.0; 6], 0);
        let used = if self.two { 6 } else { 4 };
        for (at, value) in state[..used].iter().enumerate() {
            if self.velocities || at % 2 == 0 {
                seen[count] = value / SCALES[at];
                count += 1;
            }
        }
        (seen, count)
    }

    fn fallen(&self, state: &CartState) -> bool {
        // Written so that what is no number has fallen.
        let held = state[0].abs() <= TRACK
            && state[2].abs() <= self.limit
            && (!self.two || state[4].abs() <= self.limit);
        !held
    }
}

/// One step of the Runge–Kutta method of fourth order. How many poles there are is
/// known when it is compiled, for this is where the time goes.
fn tick<const POLES: usize>(state: &CartState, force: f64) -> CartState {
    let used = 2 + 2 * POLES;
    let moved = |slope: &CartState, time: f64| {
        let mut moved = *state;
        for at in 0..used {
            moved[at] += time * slope[at];
        }
        moved
    };
    let first = slope::<POLES>(state, force);
    let second = slope::<POLES>(&moved(&first, TICK / 2.0), force);
    let third = slope::<POLES>(&moved(&second, TICK / 2.0), force);
    let fourth = slope::<POLES>(&moved(&third, TICK), force);
    let mut next = *state;
    for at in 0..used {
        let middle = 2.0 * (second[at] + third[at]);
        next[at] += TICK / 6.0 * (first[at] + middle + fourth[at]);
    }
    next
}

/// How the state changes a second.
#[inline]
fn slope<const POLES: usize>(state: &CartState, force: f64) -> CartState {
    let speed = state[1];
    let friction = if speed == 0.0 {
        0.0
    } else {
        CART_FRICTION.copysign(speed)
    };
    let (mut push, mut mass) = (force - friction, CART_MASS);
    // Of each pole: cosine, and what turns it but the cart.
    let mut turning = [(0.0, 0.0); POLES];
    for pole in 0..POLES {
        let (angle, spin) = (state[2 + 2 * pole], state[3 + 2 * pole]);
        let (weight, half) = (POLE_MASSES[pole], HALF_LENGTHS[pole]);
        let (sine, cosine) = libm::sincos(angle);
        // The divisions are of constants: compilers do them once.
        let turn = HINGE_FRICTION / (weight * half) * spin + GRAVITY * sine;
        push += weight * half * spin * spin * sine + 0.75 * weight * cosine * turn;
        mass += weight * (1.0 - 0.75 * cosine * cosine);
        turning[pole] = (cosine, turn);
    }
    let faster = push / mass;
    let mut slope = [speed, faster, 0.0, 0.0, 0.0, 0.0];
    for pole in 0..POLES {
        let (cosine, turn) = turning[pole];
        slope[2 + 2 * pole] = state[3 + 2 * pole];
        slope[3 + 2 * pole] = -0.75 / HALF_LENGTHS[pole] * (faster * cosine + turn);
    }
    slope
}

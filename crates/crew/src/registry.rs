//! A list of what is active now.

use std::sync::{Arc, Mutex, Weak};

use crate::lock::lock;

/// Values that are listed until the [`Arc`] from [`add`](Self::add) is dropped.
pub(crate) struct Registry<T>(Mutex<Vec<Weak<T>>>);

impl<T> Default for Registry<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Registry<T> {
    pub(crate) fn add(&self, value: T) -> Arc<T> {
        let value = Arc::new(value);
        let mut list = lock(&self.0);
        list.retain(|it| it.strong_count() > 0);
        list.push(Arc::downgrade(&value));
        value
    }

    pub(crate) fn all(&self) -> Vec<Arc<T>> {
        lock(&self.0).iter().filter_map(Weak::upgrade).collect()
    }
}

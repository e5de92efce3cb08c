//! Tests through the public interface.

mod accuracy;

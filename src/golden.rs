//! Goldens: stored outputs in insta's file format, compared body with body.

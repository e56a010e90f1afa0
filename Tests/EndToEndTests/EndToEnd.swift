import Testing

/// Everything that starts the real binary: one at a time, since each test runs several processes.
@Suite(.serialized) enum EndToEnd {}

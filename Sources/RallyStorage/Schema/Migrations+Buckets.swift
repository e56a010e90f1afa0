extension Migrations {
  /// Names are keyed digests. Not logged: after a crash of PostgreSQL every bucket is full.
  static let sharedLimits = """
    CREATE UNLOGGED TABLE buckets (
      digest TEXT NOT NULL PRIMARY KEY,
      tokens DOUBLE PRECISION NOT NULL,
      filled_at BIGINT NOT NULL);
    CREATE INDEX buckets_by_age ON buckets(filled_at);
    CREATE UNLOGGED TABLE known_addresses (
      account TEXT NOT NULL,
      address TEXT NOT NULL,
      at BIGINT NOT NULL,
      PRIMARY KEY (account, address));
    CREATE INDEX known_addresses_by_age ON known_addresses(at);
    """
}

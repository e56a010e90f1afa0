extension Migrations {
  /// Private addresses of calendars, with the digest of their secrets.
  static let calendarAddresses = """
    CREATE TABLE calendar_addresses (
      user_id TEXT NOT NULL PRIMARY KEY REFERENCES users(id) ON DELETE CASCADE,
      secret_hash TEXT NOT NULL UNIQUE,
      created_at BIGINT NOT NULL);
    """

  /// When missions take place again: the series as `MissionSeries` writes it, and of it the start of
  /// the next occurrence, by which those that are over are found.
  static let series = """
    ALTER TABLE missions ADD COLUMN series TEXT;
    ALTER TABLE missions ADD COLUMN next_starts_at BIGINT;
    CREATE INDEX missions_that_repeat ON missions(ends_at) WHERE next_starts_at IS NOT NULL;
    """
}

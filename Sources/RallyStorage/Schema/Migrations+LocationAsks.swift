extension Migrations {
  /// Questions of friends where somebody is, at most one of each to each, and when a phone was last
  /// told to report.
  static let locationAsks = """
    CREATE TABLE location_asks (
      asker TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      asked TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      asked_at BIGINT NOT NULL,
      is_open BIGINT NOT NULL,
      PRIMARY KEY (asker, asked));
    CREATE INDEX location_asks_of_asked ON location_asks(asked);
    CREATE INDEX location_asks_by_age ON location_asks(asked_at);
    ALTER TABLE phones ADD COLUMN commanded_at BIGINT;
    """
}

extension Migrations {
  /// The zones and hours that people keep with their account: one document of JSON for each.
  static let privacyRules = """
    CREATE TABLE privacy_rules (
      user_id TEXT NOT NULL PRIMARY KEY REFERENCES profiles(id) ON DELETE CASCADE,
      rules TEXT NOT NULL);
    """

  /// The people whom nobody sees, whatever they share.
  static let ghosts = """
    CREATE TABLE ghosts (
      user_id TEXT NOT NULL PRIMARY KEY REFERENCES profiles(id) ON DELETE CASCADE);
    """
}

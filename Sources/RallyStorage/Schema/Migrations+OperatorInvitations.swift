extension Migrations {
  static let operatorInvitations = """
    CREATE TABLE operator_invitations (
      code TEXT NOT NULL PRIMARY KEY,
      expires_at BIGINT NOT NULL,
      created_at BIGINT NOT NULL);
    """
}

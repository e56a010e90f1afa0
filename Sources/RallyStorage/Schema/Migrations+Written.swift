extension Migrations {
  /// What is there counts by its characters: the lines of people, and the missions that they made.
  static let written = """
    CREATE TABLE written (
      user_id TEXT NOT NULL PRIMARY KEY REFERENCES users(id) ON DELETE CASCADE,
      bytes BIGINT NOT NULL);
    INSERT INTO written (user_id, bytes)
      SELECT w.person, CAST(SUM(w.size) AS BIGINT) FROM (
        SELECT a.user_id AS person, 200 + LENGTH(a.text) AS size FROM mission_activity a
        WHERE a.kind = 'said' AND a.user_id IS NOT NULL AND a.text IS NOT NULL
        UNION ALL
        SELECT m.creator, 200 + LENGTH(m.title) + LENGTH(m.brief) FROM missions m
        WHERE m.creator IS NOT NULL
        UNION ALL
        SELECT m.creator, 200 + LENGTH(o.title) FROM objectives o
        JOIN missions m ON m.id = o.mission_id WHERE m.creator IS NOT NULL) AS w
      GROUP BY w.person;
    """
}

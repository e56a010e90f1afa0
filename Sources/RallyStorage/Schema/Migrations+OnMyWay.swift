extension Migrations {
  /// Who is on the way to a mission until when, or has arrived, and the members who see it.
  static let onMyWay = """
    CREATE TABLE ways (
      owner TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      mission_id TEXT NOT NULL REFERENCES missions(id) ON DELETE CASCADE,
      began_at BIGINT NOT NULL,
      until BIGINT,
      arrived_at BIGINT,
      PRIMARY KEY (owner, mission_id));
    CREATE INDEX ways_of_mission ON ways(mission_id);
    CREATE INDEX ways_by_end ON ways(until) WHERE until IS NOT NULL;
    CREATE TABLE way_readers (
      owner TEXT NOT NULL,
      mission_id TEXT NOT NULL,
      reader TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      PRIMARY KEY (owner, mission_id, reader),
      FOREIGN KEY (owner, mission_id) REFERENCES ways(owner, mission_id) ON DELETE CASCADE);
    CREATE INDEX way_readers_by_reader ON way_readers(reader);
    """
}

import RallyWire

/// The tables that can be read under `/rest/v1`.
enum ReadableTable: String, CaseIterable, Sendable {
  case profiles, friendships, locations, missions
  case missionMembers = "mission_members"
  case missionActivity = "mission_activity"

  var relation: RowRelation {
    RowRelation(
      name: rawValue,
      columns: PublishedTables.listened[rawValue] ?? PublishedTables.profiles.columns)
  }
}

import RallyWire

/// The tables that can be read under `/rest/v1`.
enum ReadableTable: String, CaseIterable, Sendable {
  case profiles, friendships, locations, missions
  case missionMembers = "mission_members"
  case missionActivity = "mission_activity"

  /// The columns of its events; `profiles` has none of those.
  var relation: RowRelation {
    RowRelation(
      name: rawValue, columns: PublishedTable.columns[rawValue] ?? ProfileRecord.columns)
  }
}

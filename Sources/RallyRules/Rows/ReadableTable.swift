import RallyWire

/// The tables that can be read under `/rest/v1`.
package enum ReadableTable: String, CaseIterable, Sendable {
  case profiles, friendships, locations, missions
  case missionMembers = "mission_members"
  case missionActivity = "mission_activity"

  package var relation: RowRelation {
    RowRelation(
      name: rawValue,
      columns: PublishedTables.listened[rawValue] ?? PublishedTables.profiles.columns)
  }
}

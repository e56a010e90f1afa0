import RallyText
import RallyWire

/// A row as JSON, by column.
package typealias JSONRow = [String: JSONValue]

/// The subject of a query: a table, or the rows that a function returns.
package struct RowRelation: Sendable {
  package let name: String
  package let columns: [ChangeEvent.Column]

  package init(name: String, columns: [ChangeEvent.Column]) {
    self.name = name
    self.columns = columns
  }

  /// - Throws: `42703` for a column that it does not have.
  package func type(of column: String) throws -> ColumnType {
    guard let found = columns.first(where: { $0.name == column }) else {
      throw FunctionFailure(code: "42703", message: "column \(name).\(column) does not exist")
    }
    return ColumnType(rawValue: found.type) ?? .json
  }

  /// A name of a query without its double quotes.
  static func unquoted(_ name: some StringProtocol) -> String {
    guard name.count > 1, name.first == "\"", name.last == "\"" else { return String(name) }
    return String(name.dropFirst().dropLast())
  }

  package func has(_ column: String) -> Bool { columns.contains { $0.name == column } }

  /// Adds missing columns as null, as PostgreSQL writes them.
  package func completed(_ row: JSONRow) -> JSONRow {
    var row = row
    for column in columns where row[column.name] == nil { row[column.name] = .null }
    return row
  }
}

/// A column's type, which decides how values are parsed and compared.
package enum ColumnType: String, Hashable, Sendable {
  case uuid, text, bool
  case integer = "int8"
  case number = "float8"
  case time = "timestamptz"
  case json = "jsonb"

  /// As PostgreSQL names it in errors.
  var title: String {
    switch self {
    case .uuid: "uuid"
    case .text: "text"
    case .bool: "boolean"
    case .integer: "bigint"
    case .number: "double precision"
    case .time: "timestamp with time zone"
    case .json: "jsonb"
    }
  }
}

/// A row whose columns a query may name.
package protocol ColumnedRow {
  static var columns: [ChangeEvent.Column] { get }
}

/// A list of such rows.
package protocol ColumnedRows {
  static var columns: [ChangeEvent.Column] { get }
}

extension Array: ColumnedRows where Element: ColumnedRow {
  package static var columns: [ChangeEvent.Column] { Element.columns }
}

extension ChangeEvent.Column {
  fileprivate static func of(_ name: String, _ type: ColumnType) -> ChangeEvent.Column {
    .init(name: name, type: type.rawValue)
  }
}

extension ProfileRecord: ColumnedRow {
  package static let columns = PublishedTables.profiles.columns
}

extension DatedProfileRecord: ColumnedRow {
  package static let columns = PublishedTables.profiles.columns
}

extension PersonRecord: ColumnedRow {
  package static let columns = PublishedTables.profiles.columns + [.of("friendship_status", .text)]
}

extension FriendRecord: ColumnedRow {
  package static let columns =
    PublishedTables.profiles.columns + [
      .of("since", .time), .of("presence", .text), .of("last_seen", .time),
    ]
}

extension LocationRecord: ColumnedRow {
  package static let columns = PublishedTables.locations.columns
}

extension LocationSharingRecord: ColumnedRow {
  package static let columns: [ChangeEvent.Column] = [
    .of("user_id", .uuid), .of("username", .text), .of("display_name", .text), .of("mode", .text),
    .of("until", .time), .of("is_default", .bool), .of("location", .json),
    .of("withheld", .text), .of("way_until", .time), .of("is_friend", .bool),
    .of("is_ghost", .bool),
  ]
}

extension MissionRecord: ColumnedRow {
  package static let columns =
    PublishedTables.missions.columns + [
      .of("objectives", .json), .of("members", .json), .of("member_count", .integer),
      .of("is_full", .bool), .of("my_state", .text),
    ]
}

extension MissionActivityRecord: ColumnedRow {
  package static let columns = PublishedTables.missionActivity.columns
}

extension PhoneRecord: ColumnedRow {
  package static let columns: [ChangeEvent.Column] = [
    .of("id", .uuid), .of("app", .text), .of("name", .text), .of("created_at", .time),
    .of("last_post_at", .time), .of("last_fix_at", .time), .of("problem", .text),
    .of("problem_at", .time),
  ]
}

extension SSHKeyRecord: ColumnedRow {
  package static let columns: [ChangeEvent.Column] = [
    .of("id", .uuid), .of("name", .text), .of("type", .text), .of("fingerprint", .text),
    .of("created_at", .time), .of("last_used_at", .time),
  ]
}

extension LocationAskRecord: ColumnedRow {
  package static let columns: [ChangeEvent.Column] = [
    .of("user_id", .uuid), .of("username", .text), .of("display_name", .text),
    .of("direction", .text), .of("asked_at", .time),
  ]
}

extension ComingRecord: ColumnedRow {
  package static let columns: [ChangeEvent.Column] = [
    .of("mission_id", .uuid), .of("user_id", .uuid), .of("username", .text),
    .of("display_name", .text), .of("began_at", .time), .of("until", .time),
    .of("arrived_at", .time), .of("readers", .json), .of("location", .json),
  ]
}

extension WatchLinkRecord: ColumnedRow {
  package static let columns: [ChangeEvent.Column] = [
    .of("link_id", .text), .of("mode", .text), .of("until", .time), .of("created_at", .time),
    .of("watchers", .integer), .of("is_from_phone", .bool),
  ]
}

extension InvitationRecord: ColumnedRow {
  package static let columns: [ChangeEvent.Column] = [
    .of("code", .text), .of("link", .text), .of("kind", .text), .of("mission_id", .uuid),
    .of("mission_title", .text), .of("uses", .integer), .of("used", .integer),
    .of("used_by", .json), .of("expires_at", .time), .of("created_at", .time),
  ]
}

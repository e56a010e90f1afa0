import TOMLKit

/// A value of `config.toml`, independent of TOMLKit.
enum ConfigurationValue {
  case text(String)
  case flag(Bool)
  case list([ConfigurationValue])
  case table([(key: String, value: ConfigurationValue)])
  /// A number or a date, which no setting takes.
  case other

  init(_ value: some TOMLValueConvertible) {
    if let text = value.string {
      self = .text(text)
    } else if let flag = value.bool {
      self = .flag(flag)
    } else if let array = value.array {
      self = .list(array.map { ConfigurationValue($0) })
    } else if let table = value.table {
      self = .table(Self.entries(of: table))
    } else {
      self = .other
    }
  }

  /// The entries of a table, sorted by key.
  static func entries(of table: TOMLTable) -> [(key: String, value: ConfigurationValue)] {
    table.keys.sorted().compactMap { key in
      table[key].map { (key, ConfigurationValue($0)) }
    }
  }

  var text: String? { if case .text(let text) = self { text } else { nil } }

  /// A string as a TOML literal.
  static func literal(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": literal += "\\\""
      case "\\": literal += "\\\\"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        literal += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }
}

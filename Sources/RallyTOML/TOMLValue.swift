/// A value of a TOML text.
package enum TOMLValue: Sendable {
  case text(String)
  case flag(Bool)
  case list([TOMLValue])
  case table([(key: String, value: TOMLValue)])
  /// A number or a date, which no setting takes.
  case other

  package var text: String? { if case .text(let text) = self { text } else { nil } }

  /// A string as a TOML literal.
  package static func literal(_ text: String) -> String {
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

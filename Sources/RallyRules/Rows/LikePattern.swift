/// A pattern of `like`: `%` or `*` is any text, `_` any one character, `\` takes the next literally.
struct LikePattern: Hashable, Sendable {
  private enum Part: Hashable {
    case literal(Unicode.Scalar)
    case one
    case any
  }

  private let parts: [Part]
  private let ignoresCase: Bool
  /// A text with fewer characters does not match.
  private let shortest: Int

  /// Characters of the pattern, without escapes.
  var length: Int { parts.count }

  init(_ text: String, ignoresCase: Bool) {
    self.ignoresCase = ignoresCase
    var parts: [Part] = []
    var isEscaped = false
    for scalar in (ignoresCase ? text.lowercased() : text).unicodeScalars {
      switch scalar {
      case _ where isEscaped:
        parts.append(.literal(scalar))
        isEscaped = false
      case "\\": isEscaped = true
      case "%", "*": if parts.last != .any { parts.append(.any) }
      case "_": parts.append(.one)
      default: parts.append(.literal(scalar))
      }
    }
    self.parts = parts
    shortest = parts.count { $0 != .any }
  }

  /// Backtracks to the last `%` only, so matching takes at most quadratic time.
  func matches(_ text: String) -> Bool {
    let scalars = Array((ignoresCase ? text.lowercased() : text).unicodeScalars)
    guard scalars.count >= shortest else { return false }
    var (position, part) = (0, 0)
    var retry: (position: Int, part: Int)?
    while position < scalars.count {
      if part < parts.count, parts[part] == .any {
        retry = (position, part)
        part += 1
      } else if part < parts.count,
        parts[part] == .one || parts[part] == .literal(scalars[position])
      {
        position += 1
        part += 1
      } else if let last = retry {
        retry = (last.position + 1, last.part)
        position = last.position + 1
        part = last.part + 1
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { $0 == .any }
  }
}

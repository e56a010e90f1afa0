import RallyText

/// Removes what looks like a secret from a log line.
///
/// Callers must not log secrets; this is a second line of defence. It removes words of 32 or more
/// characters that mix letters and digits (tokens, keys, hashes) and are not UUIDs, and values
/// after words such as `password` or `token`.
enum LogRedaction {
  static let mark = "[removed]"
  private static let shortest = 32
  private static let heralds: Set<String> = [
    "password", "apikey", "access_token", "refresh_token", "token", "secret",
  ]

  static func clean(_ line: String) -> String {
    guard line.utf8.count >= 8 else { return line }
    var result = ""
    var word = ""
    var isAnnounced = false
    var isHerald = false
    func finish() {
      guard !word.isEmpty else { return }
      if isSecret(word) || isAnnounced {
        result += mark
      } else {
        result += word
      }
      isAnnounced = word.lowercased() == "bearer"
      isHerald = heralds.contains(word.lowercased())
      word = ""
    }
    for character in line {
      if isPart(character) {
        word.append(character)
        continue
      }
      finish()
      // Only `=`, `:`, quotes and spaces may separate a secret from the word before it.
      if isHerald, "=:".contains(character) { isAnnounced = true }
      if !" :=\"'".contains(character) { (isAnnounced, isHerald) = (false, false) }
      result.append(character)
    }
    finish()
    return result
  }

  private static func isPart(_ character: Character) -> Bool {
    character.asciiValue?.isAlphanumeric(or: "_-.+") ?? false
  }

  private static func isSecret(_ word: String) -> Bool {
    guard word.utf8.count >= shortest, word.contains(where: \.isNumber),
      word.contains(where: \.isLetter)
    else { return false }
    let isUUID =
      word.utf8.count == 36 && word.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12]
    return !isUUID
  }
}

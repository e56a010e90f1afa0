import RallyWire

/// Something in `config.toml` that was passed over.
public struct ConfigurationProblem: Error, Hashable, Sendable, CustomStringConvertible {
  public let file: String
  /// Nil where no single line is to blame.
  public let place: ConfigurationPlace?
  /// What is wrong and what to write instead.
  public let sentence: String

  public init(file: String, place: ConfigurationPlace?, sentence: String) {
    self.file = file
    self.place = place
    self.sentence = sentence
  }

  /// Counted from 1.
  public var line: Int? { place?.line }

  /// The same with the name of the file alone, for a line of the screen.
  public var shortDescription: String {
    let name = file.split(separator: "/").last.map(String.init) ?? file
    return Self(file: name, place: place, sentence: sentence).description
  }

  /// `FILE:LINE:COLUMN: sentence`, the form that editors jump to.
  public var description: String {
    "\(file.cleanedForDisplay)\(place.map { ":\($0)" } ?? ""): \(sentence)"
  }
}

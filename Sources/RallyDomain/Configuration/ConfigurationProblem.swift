import RallySystem
import RallyText
import RallyWire

/// A setting in `config.toml` that was ignored because of an error.
public struct ConfigurationProblem: ReportableError, Hashable, Sendable, CustomStringConvertible {
  public let file: String
  /// Nil if the problem belongs to no single line.
  public let place: SourcePosition?
  /// What is wrong and what to write instead.
  public let sentence: String

  public init(file: String, place: SourcePosition?, sentence: String) {
    self.file = file
    self.place = place
    self.sentence = sentence
  }

  /// Counted from 1.
  public var line: Int? { place?.line }

  /// The description with the file name instead of the path, for a line on the screen.
  public var shortDescription: String {
    let name = file.split(separator: "/").last.map(String.init) ?? file
    return Self(file: name, place: place, sentence: sentence).description
  }

  /// `FILE:LINE:COLUMN: sentence`, the format that editors can jump to.
  public var description: String {
    "\(file.cleanedForDisplay)\(place.map { ":\($0)" } ?? ""): \(sentence)"
  }
}

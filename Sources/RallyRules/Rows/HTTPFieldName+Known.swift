import HTTPTypes

extension HTTPField.Name {
  /// A name that whoever writes it here knows to be well formed.
  package static func known(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else { preconditionFailure("not a field name: \(text)") }
    return name
  }

  static let prefer = known("Prefer")
}

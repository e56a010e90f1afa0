import RallyDomain
import RallySystem
import RallyWire

extension LocationChoice.Candidate {
  /// What it says: state, accuracy and age, without the position.
  ///
  /// - Parameter age: Formats the age of a fix.
  public func summary(age: (WireTime) -> String) -> String {
    [
      state?.sentence,
      fix?.accuracyMetres.map { "within \(Self.metres($0))" },
      arrivedAt.map(age),
    ].compactMap(\.self).joined(separator: " · ")
  }

  /// As it was measured up to a kilometre: `17 m`.
  private static func metres(_ accuracy: Double) -> String {
    accuracy < 1000 ? "\(Int(accuracy.rounded(.up))) m" : GeoText.distance(accuracy)
  }
}

extension SentReport {
  /// `sent 2 minutes ago as 1 km, from gpsd`.
  public func sentence(age: (WireTime) -> String) -> String {
    "sent \(age(at)) as \(precision.title), from \(source)"
  }
}

extension BinaryInteger {
  /// The number with its noun: `1 friend`, `3 friends`, `0 people`.
  ///
  /// - Parameter plural: Defaults to the noun with an `s`.
  public func counted(_ noun: String, _ plural: String? = nil) -> String {
    "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
  }

  /// This number of minutes: `45 min`, `2 h`, `1 h 40 min`.
  public var minutesText: String {
    let (hours, minutes) = quotientAndRemainder(dividingBy: 60)
    return [hours > 0 ? "\(hours) h" : nil, hours == 0 || minutes > 0 ? "\(minutes) min" : nil]
      .compactMap { $0 }.joined(separator: " ")
  }
}

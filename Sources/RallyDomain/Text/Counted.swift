extension BinaryInteger {
  /// The number with its noun: `1 friend`, `3 friends`, `0 people`.
  ///
  /// - Parameter plural: Defaults to the noun with an `s`.
  public func counted(_ noun: String, _ plural: String? = nil) -> String {
    "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
  }
}

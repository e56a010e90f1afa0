/// Reads the arguments of the plainest way to start, the interface with some folders or a server named,
/// without the parser of the verbs: that one has to know every verb and option first, which took a tenth
/// of the time to the first frame.
enum QuickStart {
  /// - Returns: The options; nil for whatever is not just those with values that are certainly right,
  ///   which the parser then reads, and refuses in its own words.
  static func options(_ arguments: [String]) -> GlobalOptions? {
    var options = GlobalOptions.withDefaults
    var rest = arguments[...]
    while let name = rest.popFirst() {
      if name == "--plain" {
        options.plain = true
        continue
      }
      guard let value = rest.popFirst(), !value.hasPrefix("-") else { return nil }
      switch name {
      case "--data": options.data = value
      case "--config": options.config = value
      case "--profile": options.profile = value
      case "--server": options.server = value
      case "--key": options.key = value
      default: return nil
      }
    }
    return options
  }
}

extension GlobalOptions {
  /// What the parser gives for no arguments at all.
  fileprivate static var withDefaults: GlobalOptions {
    var options = GlobalOptions()
    options.data = nil
    options.config = nil
    options.profile = nil
    options.server = nil
    options.key = nil
    options.insecure = false
    options.json = false
    options.quiet = false
    options.color = .auto
    options.plain = false
    return options
  }
}

import RallyCommand

/// Parses the arguments of the most frequent starts, the interface and the status with a few options,
/// without ArgumentParser. That builds the option sets of all verbs first, which takes about 10 ms of CPU
/// time before the first frame.
enum QuickStart {
  /// - Returns: The options; nil if there are other arguments or suspicious values, which
  ///   ArgumentParser then parses or refuses.
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

  /// - Returns: What `status` with such options does; nil if there are other arguments.
  static func status(_ arguments: [String]) -> StatusRun? {
    guard arguments.first == "status" else { return nil }
    var others: [String] = []
    var format: String?
    var (follows, isJSON) = (false, false)
    var rest = arguments.dropFirst()
    while let name = rest.popFirst() {
      switch name {
      case "--follow": follows = true
      case "--json": isJSON = true
      case "--format":
        guard let value = rest.popFirst(), !value.hasPrefix("-") else { return nil }
        format = value
      default: others.append(name)
      }
    }
    guard !(isJSON && format != nil), var options = options(others) else { return nil }
    options.json = isJSON
    return StatusRun(global: options, format: format, follows: follows)
  }
}

extension GlobalOptions {
  /// What ArgumentParser returns without arguments.
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

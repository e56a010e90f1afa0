import RallyWire

/// An object of a service whose values are followed.
package struct BusObject: Hashable, Sendable {
  var service: String
  package var path: String
  var interface: String
  /// The method without arguments that returns the values, and whose changes the signal `changed`
  /// reports; nil for the interface's properties.
  var method: String?

  package init(service: String, path: String, interface: String, method: String? = nil) {
    self.service = service
    self.path = path
    self.interface = interface
    self.method = method
  }
}

/// What is known of a followed object.
package enum BusAnswer: Hashable, Sendable {
  /// The service has not answered yet.
  case waiting
  /// The service is not on the bus, or there is no bus.
  case absent
  /// The service does not answer, or refuses: why, for the end of a sentence.
  case problem(String)
  case values([String: BusValue], at: WireTime)
}

/// A signal that is listened for.
package struct BusSignal: Hashable, Sendable {
  package var service: String
  /// nil for every object of the service.
  var path: String?
  var interface: String
  var member: String
  /// The first argument; nil for any.
  var argument: String?

  package init(
    service: String, path: String? = nil, interface: String, member: String, argument: String? = nil
  ) {
    self.service = service
    self.path = path
    self.interface = interface
    self.member = member
    self.argument = argument
  }

  /// What a bus compares signals with.
  var rule: String {
    [
      "type='signal',sender='\(service)',interface='\(interface)',member='\(member)'",
      path.map { "path='\($0)'" }, argument.map { "arg0='\($0)'" },
    ].compactMap(\.self).joined(separator: ",")
  }
}

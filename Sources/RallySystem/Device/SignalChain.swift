import RallyText
import RallyWire

/// The providers of one signal, the preferred first.
struct SignalChain<Value: Sendable & Equatable> {
  var offers: [SignalOffer<Value>]

  /// The first value.
  var first: SignalReading<Value>? { offers.lazy.compactMap { $0.reading }.first }

  /// - Parameter taken: The reading that the policy uses.
  func reports(
    taken: SignalReading<Value>?, _ word: (Value) -> String
  ) -> [ProviderReport] {
    offers.map { offer in
      ProviderReport(
        provider: offer.provider,
        says: offer.reading.map { word($0.value) } ?? offer.note ?? ProviderReport.absence,
        detail: offer.reading?.detail,
        isTaken: taken != nil && offer.reading == taken)
    }
  }
}

/// What one provider says of a signal.
struct SignalOffer<Value: Sendable & Equatable> {
  var provider: String
  /// Nil if the provider is not there, or not to be believed.
  var reading: SignalReading<Value>?
  /// Why there is no value; nil if the provider is not there.
  var note: String?

  init(_ provider: String, _ reading: SignalReading<Value>?, note: String? = nil) {
    self.provider = reading?.source ?? provider
    self.reading = reading
    self.note = note
  }

  /// Reads the values of a service; it can say why they are no use.
  init(
    _ provider: String, _ answer: BusAnswer?,
    _ read: (ServiceValues) throws(UnusableAnswer) -> SignalReading<Value>
  ) {
    switch answer {
    case nil, .absent: self.init(provider, nil)
    case .waiting: self.init(provider, nil, note: "no answer yet")
    case .problem(let problem): self.init(provider, nil, note: problem)
    case .values(let values, let time):
      do throws(UnusableAnswer) {
        self.init(provider, try read(ServiceValues(values: values, readAt: time)))
      } catch {
        self.init(provider, nil, note: error.reason)
      }
    }
  }
}

/// Why a provider that is there has no value.
struct UnusableAnswer: ReportableError {
  var reason: String
  var sentence: String { "\(reason)." }

  static func wrongType(_ name: String) -> UnusableAnswer {
    UnusableAnswer(reason: "\(name) is missing or of a wrong type")
  }
}

/// The values that a service sent.
struct ServiceValues {
  let values: [String: BusValue]
  let readAt: WireTime

  func flag(_ name: String) throws(UnusableAnswer) -> Bool {
    guard case .flag(let flag) = values[name] else { throw .wrongType(name) }
    return flag
  }

  func text(_ name: String) throws(UnusableAnswer) -> String {
    guard case .text(let text) = values[name] else { throw .wrongType(name) }
    return text.cleanedForDisplay
  }

  /// - Parameter range: The values that the service's interface defines.
  func number(_ name: String, in range: ClosedRange<Int64>) throws(UnusableAnswer) -> Int64 {
    guard case .integer(let number) = values[name] else { throw .wrongType(name) }
    guard range.contains(number) else {
      throw UnusableAnswer(reason: "\(name) is \(number), which means nothing")
    }
    return number
  }
}

/// What one provider says, as `:policy` and `rally doctor` list it.
public struct ProviderReport: Hashable, Sendable, Encodable {
  public let provider: String
  /// The value, or why there is none.
  public let says: String
  /// The measurement.
  public let detail: String?
  /// Whether the policy uses this value.
  public let isTaken: Bool

  enum CodingKeys: String, CodingKey {
    case provider, says, detail
    case isTaken = "taken"
  }

  fileprivate static let absence = "not there"

  /// Whether the machine has the provider.
  public var isThere: Bool { says != Self.absence }

  public var sentence: String {
    [says, detail, isTaken ? "taken" : nil].compactMap(\.self).joined(separator: " · ")
  }
}

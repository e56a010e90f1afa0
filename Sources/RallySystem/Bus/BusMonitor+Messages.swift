import Glibc
import Logging
import RallyWire

// All of it runs with the lock held.
extension BusMonitor {
  /// Returns what to call without the lock.
  func handle(_ message: BusMessage, _ state: inout State) -> (@Sendable () -> Void)? {
    guard let receiver = state.receivers[message.tag] else { return nil }
    switch receiver {
    case .owner(let service):
      let isThere = message.arguments.last != .text("")
      for object in objects where object.service == service {
        state.asked[object] = nil
        if isThere { ask(object, &state) } else { set(.absent, for: object, &state) }
      }
    case .change(let object):
      // Others of the service may have been asked before they were there.
      for other in objects where other.service == object.service {
        if other == object { askAgain(object, &state) }
        if case .problem = state.answers[other], other != object { askAgain(other, &state) }
      }
    case .answer(let object, let isSecond):
      state.receivers[message.tag] = nil
      // A newer call replaced this one.
      guard let asked = state.asked[object], asked.tag == message.tag else { break }
      state.asked[object] = nil
      set(Self.answer(message), for: object, &state)
      if asked.isStale {
        ask(object, &state)
      } else if message.problem?.code == ETIMEDOUT, !isSecond {
        ask(object, isSecond: true, &state)
      }
    case .signal(let signal): return { [onSignal] in onSignal(signal, message) }
    case .reply(let reply):
      state.receivers[message.tag] = nil
      return { reply(message) }
    }
    return nil
  }

  /// Asks now, or after the reply to a call that was just made.
  private func askAgain(_ object: BusObject, _ state: inout State) {
    if state.asked[object]?.isSecond == false {
      state.asked[object]?.isStale = true
    } else {
      ask(object, &state)
    }
  }

  private func set(_ answer: BusAnswer, for object: BusObject, _ state: inout State) {
    if case .problem(let problem) = answer { log.warning("\(object.service) — \(problem)") }
    state.answers[object] = answer
  }

  private static func answer(_ message: BusMessage) -> BusAnswer {
    guard let problem = message.problem else { return .values(message.values, at: .now) }
    return problem.isAbsence ? .absent : .problem(problem.sentence)
  }

  func ask(_ object: BusObject, isSecond: Bool = false, _ state: inout State) {
    guard let connection = state.connection else { return }
    let tag = Self.tag(for: .answer(object, isSecond: isSecond), &state)
    state.asked[object] = (tag, isSecond, false)
    // A failure here is a lost connection, which the next reading of messages reports.
    try? connection.call(
      object,
      interface: object.method == nil ? "org.freedesktop.DBus.Properties" : object.interface,
      object.method ?? "GetAll", object.method == nil ? [.text(object.interface)] : [], tag: tag,
      patience: isSecond ? Self.patience.second : Self.patience.first)
  }
}

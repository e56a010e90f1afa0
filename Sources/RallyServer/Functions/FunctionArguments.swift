import Foundation
import RallyWire

/// From named JSON arguments to the function's own type, with PostgREST's answers when they differ.
enum FunctionArguments {
  static func decode<F: RemoteFunction>(_ type: F.Type, from data: Data) throws -> F {
    let names = try names(in: data)
    guard names.isSubset(of: F.parameters) else {
      throw FunctionFailure.unknown(F.name, arguments: names, suggestion: signature(of: F.self))
    }
    do {
      return try WireJSON.decode(F.self, from: data)
    } catch DecodingError.keyNotFound(_, let context) where context.codingPath.isEmpty {
      throw FunctionFailure.unknown(F.name, arguments: names, suggestion: signature(of: F.self))
    } catch DecodingError.keyNotFound(let key, let context) {
      throw FunctionFailure(.invalidArgument, "\(path(context.codingPath + [key])) is missing.")
    } catch DecodingError.valueNotFound(_, let context) {
      throw FunctionFailure(.invalidArgument, "\(path(context.codingPath)) cannot be null.")
    } catch DecodingError.typeMismatch(_, let context) {
      throw FunctionFailure(
        code: "22P02", message: "invalid input syntax for \(path(context.codingPath))",
        hint: FailureReason.invalidArgument.rawValue)
    } catch DecodingError.dataCorrupted(let context) {
      throw invalidText(context, data)
    }
  }

  /// The argument names of a body; an empty body has none.
  static func names(in data: Data) throws -> Set<String> {
    do {
      return Set(try WireJSON.decode([String: JSONValue].self, from: data).keys)
    } catch {
      throw FunctionFailure(code: "PGRST102", message: "Empty or invalid json")
    }
  }

  private static func invalidText(
    _ context: DecodingError.Context, _ data: Data
  ) -> FunctionFailure {
    var value = try? WireJSON.decode(JSONValue.self, from: data)
    for key in context.codingPath {
      value = key.intValue.map { index in value?.array?[index] } ?? value?[key.stringValue]
    }
    let text = value?.string ?? ""
    guard context.debugDescription.contains("UUID") else {
      return FunctionFailure(.invalidArgument, "\(path(context.codingPath)) cannot be “\(text)”.")
    }
    return FunctionFailure(
      code: "22P02", message: "invalid input syntax for type uuid: \"\(text)\"",
      hint: FailureReason.invalidArgument.rawValue)
  }

  /// As in `p_objectives[0].title`.
  private static func path(_ keys: [any CodingKey]) -> String {
    guard !keys.isEmpty else { return "the arguments" }
    return keys.reduce("") { path, key in
      if let index = key.intValue { return "\(path)[\(index)]" }
      return path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)"
    }
  }

  private static func signature<F: RemoteFunction>(of type: F.Type) -> String {
    "\(F.name)(\(F.parameters.sorted().joined(separator: ", ")))"
  }

  /// The arguments of a GET request: text, except for counts, places and PostgreSQL's array form.
  static func json(fromQuery items: [(name: String, value: String)]) throws -> Data {
    var arguments: [String: JSONValue] = [:]
    for (name, value) in items {
      if value.hasPrefix("{"), value.hasSuffix("}") {
        let elements = value.dropFirst().dropLast().split(separator: ",")
        arguments[name] = .array(elements.map { .string(String($0)) })
      } else if let number = Int64(value), ["p_limit", "p_offset"].contains(name) {
        arguments[name] = .integer(number)
      } else if let number = Double(value), number.isFinite,
        ["p_latitude", "p_longitude", "p_radius_m"].contains(name)
      {
        arguments[name] = .number(number)
      } else {
        arguments[name] = .string(value)
      }
    }
    return try WireJSON.encode(arguments)
  }
}

import ArgumentParser
import FoundationEssentials
import Glibc
import RallyCommand
import RallyDomain
import RallySystem
import RallyText
import RallyWire
import RallyWords

struct SSHKeyVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ssh-key", abstract: "Add, list and remove the SSH keys that come in as you.",
    discussion: """
      Where the host of your server has a door for SSH, `ssh rally@HOST` opens Rally on any machine \
      with one of these keys and nothing installed.
      """,
    subcommands: [SSHKeyAdd.self, SSHKeyList.self, SSHKeyRemove.self],
    defaultSubcommand: SSHKeyList.self)
}

struct SSHKeyAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add an SSH key that comes in as you.",
    discussion: """
      The key counts once you came in with it: the first connection asks for your username. It then \
      belongs to this account alone.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(
    help: "The public key: a file like ~/.ssh/id_ed25519.pub, or - for standard input.",
    completion: .file(extensions: ["pub"]))
  var file: String
  @Option(help: "What to call the key; without it the comment in the file.") var name: String?

  func run() async throws {
    let key = try SSHPublicKey(line: try text())
    let name = try AddSSHKey.checkedName(name ?? key.usualName)
    let session = try await CommandSession.signedIn(global)
    let added = try await session.services.sshKeysService.addKey(key, name: name)
    if global.json { return try session.output.json(SSHKeyRow(added)) }
    session.output.message(
      "Added \(added.name), \(added.fingerprint). Come in once and type your username:"
        + " then it counts.")
  }

  /// - Throws: `VerbFailure` for a file that cannot be read.
  private func text() throws -> String {
    let path = file == "-" ? "/dev/stdin" : file
    let data: Data
    do {
      guard let handle = fopen(path, "re") else { throw POSIXError.last }
      defer { fclose(handle) }
      var buffer = [UInt8](repeating: 0, count: SSHPublicKey.longestLine + 1)
      let count = fread(&buffer, 1, buffer.count, handle)
      guard ferror(handle) == 0 else { throw POSIXError.last }
      data = Data(buffer.prefix(count))
    } catch {
      throw VerbFailure(
        .failed, "\(file.cleanedForDisplay) cannot be read (\(error.systemReason)).",
        advice: "`ssh-keygen -t ed25519` makes a key; give its file that ends in .pub.")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw FieldProblem(field: .text, advice: "That is no public key, which is one line of text.")
    }
    return text
  }
}

struct SSHKeyList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the SSH keys that come in as you.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let keys = try await session.services.sshKeysService.fetchKeys()
    let now = WireTime.now
    try session.list(
      keys, as: SSHKeyRow.init, headings: ["name", "type", "fingerprint", "last used"],
      nothing: "No SSH key comes in as you. `rally ssh-key add FILE` adds one."
    ) { key in
      [
        key.name.cleanedForDisplay, key.type, key.fingerprint,
        key.lastUsedAt.map { Age.sentence($0, at: now) } ?? "never",
      ]
    }
  }
}

struct SSHKeyRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove an SSH key.",
    discussion: "Sessions that it began go on until they end.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The key's name, its fingerprint or its id.") var key: String

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let service = await session.services.sshKeysService
    let found = try await service.fetchKeys().first {
      $0.name == key || $0.fingerprint == key || $0.id.wireText == key.lowercased()
    }
    guard let found else {
      throw VerbFailure(
        .refused, "You have no SSH key called \(key).", advice: "`rally ssh-key list` lists them.")
    }
    try await service.removeKey(found.id)
    session.output.message(OutcomeText.removedKey(found.name))
  }
}

/// A key as the verbs print it with `--json`: what is unknown is null.
struct SSHKeyRow: JSONRow {
  let key: SSHKeyRecord

  init(_ key: SSHKeyRecord) { self.key = key }

  var members: [String: (any Encodable)?] {
    [
      "id": key.id.wireText,
      "name": key.name,
      "type": key.type,
      "fingerprint": key.fingerprint,
      "created_at": key.createdAt,
      "last_used_at": key.lastUsedAt,
    ]
  }
}

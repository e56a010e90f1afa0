import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import RallyRules
import RallyStorage
import RallyWire

/// `/i`: what a code gives, for somebody who has no account and no API key yet.
///
/// A `GET` is one page for everybody and uses nothing up, since messengers fetch what is sent over
/// them. Guesses are counted by address before their body is read.
struct InvitationRoutes: Sendable {
  typealias Context = ServerRequestContext

  let storage: Storage
  let gateway: Gateway
  let limiter: RateLimiter
  /// The command that comes in by SSH; nil without such a door.
  var ssh: String?
  var now: @Sendable () -> WireTime = { .now }

  init(
    storage: Storage, gateway: Gateway, limiter: RateLimiter, ssh: String? = nil,
    now: @escaping @Sendable () -> WireTime = { .now }
  ) {
    (self.storage, self.gateway, self.limiter) = (storage, gateway, limiter)
    (self.ssh, self.now) = (ssh, now)
  }

  func add(to router: Router<Context>) {
    let group = router.group("").add(middleware: FunctionErrorMiddleware())
    group.get(RouterPath(InvitationQuestion.path)) { _, _ in InvitationPage.page.response }
    group.post(RouterPath(InvitationQuestion.path), use: answer)
  }

  @Sendable private func answer(_ request: Request, _ context: Context) async throws -> Response {
    try await request.admitted {
      if let delay = try await limiter.delay(.openInvitation, address: context.clientAddress) {
        throw RateRefusal(delay: delay)
      }
    }
    let body = try await request.body.collect(
      within: limiter.budgets, atMost: RequestBody.strangersLimit)
    let question = try? InvitationQuestion(
      from: ArgumentDecoder(value: WireJSON.value(of: body.readableBytesView)))
    // What is no code at all is answered as one that nobody has.
    guard let question, let code = try? InvitationCode(question.code), code.isLong else {
      return try refusal(Self.unknown, .notFound)
    }
    let time = now()
    switch try await storage.read({ try Self.find(code, at: time, in: $0) }) {
    case .unknown: return try refusal(Self.unknown, .notFound)
    case .usedUp:
      return try refusal(
        FunctionFailure(.invitationOver, "This invitation has been used; ask for a new one."),
        .gone)
    case .open(let inviter, let mission):
      return try .json(
        OpenInvitation(inviter: inviter, mission: mission, key: gateway.apiKey, ssh: ssh))
    }
  }

  private func refusal(
    _ failure: FunctionFailure, _ status: HTTPResponse.Status
  ) throws -> Response {
    try .json(failure, status: status)
  }

  /// For unknown, revoked and ended codes, and what is no code: nobody learns which.
  private static var unknown: FunctionFailure {
    FunctionFailure(.notFound, "This invitation is not open; check the link, or ask for a new one.")
  }

  private enum Found: Sendable {
    case unknown, usedUp
    case open(OpenInvitation.Inviter?, OpenInvitation.Mission?)
  }

  private static func find(
    _ code: InvitationCode, at time: WireTime, in database: Database
  ) throws -> Found {
    if try OperatorInvitationRecords.isOpen(code, at: time, in: database) { return .open(nil, nil) }
    guard let invitation = try InvitationRecords.find(code, in: database),
      time < invitation.expiresAt,
      let maker = try ProfileRecords.find(invitation.maker, in: database)
    else { return .unknown }
    var mission: OpenInvitation.Mission?
    if let key = invitation.mission {
      guard let stored = try MissionRecords.find(key, in: database),
        stored.phase(at: time).isOpen
      else { return .unknown }
      mission = .init(title: stored.title, day: day(of: stored))
    }
    guard invitation.isOpen(at: time) else { return .usedUp }
    return .open(.init(username: maker.username, displayName: maker.displayName), mission)
  }

  /// The day on which a mission starts where it is: by the series' time zone, else by its longitude.
  static func day(of mission: StoredMission) -> String {
    let zone = mission.series.flatMap { LocalTimeZone(identifier: $0.timeZone) }
    let hours = (mission.centre.longitude / 15).rounded()
    let local =
      zone?.local(mission.startsAt)
      ?? mission.startsAt.advanced(by: .seconds(Int(hours) * 3600))
    return String(local.zulu.prefix(10))
  }
}

/// The page that an invitation's link opens in a browser. The code is in the link's fragment, which
/// no browser sends; its script sends a `POST` once somebody wants to see it.
private enum InvitationPage {
  static let page = StaticPage(
    title: "An invitation to Rally", content: content, script: script, style: style)

  private static let content = """
    <h1>Rally</h1>
    <p class="soft">Your friends, on a map, in a terminal.</p>
    <section id="closed">
    <p>Somebody invites you to their group.</p>
    <p><button id="show" type="button">Show the invitation</button></p>
    </section>
    <p id="problem" role="alert" hidden></p>
    <section id="open" hidden>
    <h2 id="who" dir="auto" tabindex="-1"></h2>
    <p id="what" dir="auto"></p>
    <h3>With Rally on your machine</h3>
    <p>Type this in a terminal. It asks for a username and a password, and you are in.</p>
    <pre id="command" tabindex="0"></pre>
    <p><button id="copy" type="button">Copy the command</button> <span id="copied" role="status"></span></p>
    <div id="door" hidden>
    <h3>With nothing installed</h3>
    <p>Your SSH key is your account.</p>
    <pre id="ssh" tabindex="0"></pre>
    <p><button id="copy-ssh" type="button">Copy the ssh command</button> <span id="copied-ssh" role="status"></span></p>
    </div>
    <h3>Without Rally yet</h3>
    <p>On any Linux unpack the folder, which needs no installation:</p>
    <pre>tar xf rally-*-linux.tar.xz
    rally-*/bin/rally --version</pre>
    <p>On Debian and Ubuntu install the package:</p>
    <pre>sudo apt install ./rally_*.deb</pre>
    <p>Whoever invites you knows where both are. Then type the command above.</p>
    </section>
    <noscript><p>This page needs JavaScript to show the invitation. In a terminal,
    <code>rally</code> and the link between quotes do the same.</p></noscript>
    """

  private static let style = """
    main { max-width: 38rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
    h2 { margin: 1.5rem 0 .5rem; font-size: 1.375rem; line-height: 1.3; overflow-wrap: anywhere; }
    h3 { margin: 2rem 0 .5rem; font-size: 1.0625rem; }
    [role=status] { color: var(--soft); }
    pre { margin: .5rem 0; padding: .75rem; border: 1px solid var(--line); border-radius: .375rem;
      white-space: pre-wrap; overflow-wrap: anywhere; font: .9375rem/1.5 ui-monospace, monospace; }
    """

  /// Text of others goes through `textContent` alone.
  private static let script = #"""
    let code = null;

    function fail(sentence) {
      part("problem").textContent = sentence;
      part("problem").hidden = false;
    }

    // Takes the code out of the address bar, where it would be seen, shared and remembered.
    function begin() {
      const fragment = location.hash.slice(1);
      if (!fragment) {
        if (!code) {
          part("closed").hidden = true;
          fail("The invitation is not in this address any more. Open the link again.");
        }
        return;
      }
      history.replaceState(null, "", location.pathname);
      code = lettersIn(fragment, 16);
      part("problem").hidden = true;
      part("open").hidden = true;
      part("closed").hidden = code === null;
      if (!code) fail("This link is cut or changed. Ask whoever invites you to send it again.");
    }

    function dayOf(text) {
      const day = new Date(text + "T00:00:00Z");
      return isNaN(day) ? text : day.toLocaleDateString("en-GB",
        { timeZone: "UTC", weekday: "long", day: "numeric", month: "long", year: "numeric" });
    }

    function show(answer) {
      const { inviter, mission, ssh } = answer;
      part("who").textContent = !inviter ? `You are invited to the group at ${location.host}` : mission
        ? `${inviter.display_name} (@${inviter.username}) invites you to ${mission.title}`
        : `${inviter.display_name} (@${inviter.username}) invites you to be friends`;
      part("what").textContent = !inviter ? "Once you are in you can bring in others." : mission
        ? `It is on ${dayOf(mission.day)}.`
        : "Each of you then sees when the other is online; where you are only if you share it.";
      part("command").textContent = `rally '${location.origin}${location.pathname}#${code}'`;
      part("door").hidden = !ssh;
      part("ssh").textContent = ssh || "";
      part("closed").hidden = true;
      part("open").hidden = false;
      part("who").focus();
    }

    async function ask() {
      part("problem").hidden = true;
      part("show").disabled = true;
      try {
        const answer = await fetch(location.pathname, {
          method: "POST", body: JSON.stringify({ code }), cache: "no-store", credentials: "omit",
          headers: { "Content-Type": "application/json" }, referrerPolicy: "no-referrer" });
        if (answer.ok) return show(await answer.json());
        if (answer.status === 404)
          fail("This invitation is not open: it has ended, or was taken back. Ask for a new one.");
        else if (answer.status === 410)
          fail("This invitation has been used. Ask for a new one.");
        else if (answer.status === 429)
          fail("Your network asks too often. Try again in a few minutes.");
        else fail("The server has a problem. Try again later.");
      } catch {
        fail("The server does not answer. Look at your connection, and try again.");
      } finally {
        part("show").disabled = false;
      }
    }

    function copies(button, source, status) {
      part(button).addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(part(source).textContent);
          part(status).textContent = "Copied.";
        } catch {
          getSelection().selectAllChildren(part(source));
          part(status).textContent = "It is selected: copy it with your keys.";
        }
      });
    }

    part("show").addEventListener("click", ask);
    copies("copy", "command", "copied");
    copies("copy-ssh", "ssh", "copied-ssh");
    addEventListener("hashchange", begin);
    begin();
    """#
}

import RallyWire

/// The page of a link to watch. Its key is in the fragment of the address, which no browser sends, so
/// what is shown is opened in the browser alone.
///
/// With the secret of a phone's link behind the key the same page feeds it: what the phone measures is
/// sealed there.
enum WatchPageDocument {
  static let page = StaticPage(
    title: "Where somebody is", content: content, script: script, style: style,
    permissions: "geolocation=(self)")

  private static let content = """
    <h1>Rally</h1>
    <section id="closed" hidden>
    <p id="asked">Somebody shows you where they are, for a time.</p>
    <p id="known" class="soft">Whoever has this link can open it. The server passes it on sealed and cannot read it.</p>
    <p><button id="show" type="button">Show where</button></p>
    </section>
    <p id="problem" role="alert">This browser is too old to open the link.</p>
    <section id="open" hidden>
    <h2 id="where" dir="auto" tabindex="-1" aria-live="polite">Waiting for the first place.</h2>
    <p id="state" class="soft" role="status"></p>
    <canvas id="map" role="img" aria-labelledby="where"></canvas>
    <p class="row"><button id="nearer" type="button" aria-label="Show less of the map">+</button>
    <button id="farther" type="button" aria-label="Show more of the map">−</button>
    <button id="distance" type="button">How far am I?</button>
    <button id="stop" type="button" hidden>End the link</button></p>
    <p id="far" role="status"></p>
    <p id="credit" class="soft" hidden>Lines: © OpenStreetMap contributors</p>
    </section>
    <noscript><p>This page needs JavaScript, since the link is opened in your browser alone.</p></noscript>
    """

  private static let style = """
    :root { --road: #8a929b; --path: #c3c8ce; --water: #4f9bd0; --rail: #a890c0; --old: #8a929b; }
    @media (prefers-color-scheme: dark) { :root { --road: #79828c; --path: #434a52; --water: #3f78a6;
      --rail: #7d68a0; --old: #79828c; } }
    main { max-width: 44rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
    h2 { margin: 1rem 0 .25rem; font-size: 1.375rem; line-height: 1.3; overflow-wrap: anywhere; }
    .row { display: flex; flex-wrap: wrap; gap: .5rem; }
    canvas { display: block; width: 100%; height: min(70vh, 100vw, 34rem); margin: .75rem 0;
      border: 1px solid var(--line); border-radius: .375rem; }
    .row button { min-width: 2.75rem; padding: .5rem .875rem; }
    h2:focus-visible { outline: 0; }
    """

  /// Milliseconds between two places of a phone.
  private static let beat = Int(WatchRules.beat(.precise) / .milliseconds(1))

  /// Text of others goes through `textContent` alone. `WatchAddress`, `SealedMessage`, `WatchPlace` and
  /// `WatchGround` are what it reads.
  private static let script = [linkScript, mapScript, phoneScript].joined(separator: "\n\n")

  /// Opens what comes, and says it.
  private static let linkScript = #"""
    const liveTime = 15 * 60 * 1000, pollTime = 15000, metresPerDegree = 111195;
    const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    const kept = "rally-watch", beatTime = \#(beat), placeSize = \#(WatchRules.placeBytes - 28);
    let id = null, key = null, place = null, ground = null, seen = { place: 0, ground: 0 };
    let source = null, poll = null, hasStream = false, isOver = false, remark = "", zoom = 1;
    // Of my own phone, which feeds the link.
    let secret = null, fix = null, beat = null, measuring = null, lock = null, counter = 0, watchers = 0;

    // As `WatchAddress` writes it: sixteen characters are the link's name, the rest is the key. After a
    // dot stands the secret of a phone's link.
    function addressIn(fragment) {
      const [letters, secret] = fragment.split(".");
      const folded = lettersIn(letters, 68);
      if (!folded || secret !== undefined && !/^[\w-]{32}$/.test(secret)) return null;
      const bytes = new Uint8Array(32);
      let bits = 0, value = 0, count = 0;
      for (const letter of folded.slice(16)) {
        value = (value << 5 | alphabet.indexOf(letter)) & 0xfff;
        bits += 5;
        if (bits >= 8 && count < 32) { bits -= 8; bytes[count++] = value >> bits & 255; }
      }
      return { id: folded.slice(0, 16), bytes, secret, text: secret ? `${folded}.${secret}` : folded };
    }

    function fail(sentence) {
      for (const section of ["closed", "open"]) part(section).hidden = true;
      part("problem").textContent = sentence;
      part("problem").hidden = false;
    }

    function end(sentence) {
      isOver = true;
      pause();
      rest();
      place = ground = key = null;
      try { sessionStorage.removeItem(kept); } catch {}
      part("where").textContent = part("far").textContent = part("state").textContent = "";
      document.title = "Where somebody is";
      draw();
      fail(sentence);
    }
    const ended = "This link has ended: it shows nothing any more.";

    function begin() {
      part("problem").hidden = true;
      if (!window.isSecureContext)
        return fail("This address is not secure, so your browser opens nothing here. Use the https address.");
      if (!window.crypto || !crypto.subtle || !window.EventSource)
        return fail("This browser is too old to open the link.");
      let text = location.hash.slice(1), wasShown = false;
      if (!text) {
        try { text = sessionStorage.getItem(kept) || ""; } catch {}
        wasShown = Boolean(text);
      }
      if (!text) return fail("The key is not in this address any more. Open the link again.");
      const address = addressIn(text);
      if (!address)
        return fail("This link is cut or changed. Ask for it again.");
      if (address.secret) {
        part("asked").textContent = "This phone shows where it is to whoever has the link, while this page is open.";
        part("known").textContent = "Your browser seals it; the server cannot read it. Keep this page's address to yourself.";
        part("show").textContent = "Show where this phone is";
      }
      pause();
      rest();
      place = ground = null;
      seen = { place: 0, ground: 0 };
      isOver = false;
      part("open").hidden = true;
      part("closed").hidden = false;
      part("show").onclick = () => show(address);
      if (wasShown) show(address);
    }

    async function show(address) {
      // Where it would be seen, passed on and remembered; a reload finds it in this tab.
      history.replaceState(null, "", location.pathname);
      try { sessionStorage.setItem(kept, address.text); } catch {}
      id = address.id;
      secret = address.secret || null;
      key = await crypto.subtle.importKey(
        "raw", address.bytes, "AES-GCM", false, secret ? ["decrypt", "encrypt"] : ["decrypt"]);
      part("distance").hidden = Boolean(secret);
      part("stop").hidden = !secret;
      part("closed").hidden = true;
      part("open").hidden = false;
      part("where").focus();
      draw();
      resume();
    }

    // MARK: What comes

    function pause() {
      if (source) source.close();
      clearTimeout(poll);
      source = poll = null;
    }

    function resume() {
      if (isOver || !key || document.hidden || source || poll) return;
      if (!navigator.onLine) return showNotice("You are offline: this is the last that came.");
      if (secret) return feed();
      const stream = source = new EventSource(`${location.pathname}/${id}/stream`);
      // Some networks hold back what has no end.
      poll = setTimeout(() => { if (source === stream && !hasStream) ask(); }, 8000);
      stream.addEventListener("state", (event) => { hasStream = true; showNotice(""); take(JSON.parse(event.data)); });
      stream.addEventListener("end", () => end(ended));
      stream.onerror = () => {
        if (source !== stream) return;
        pause();
        ask();
      };
    }

    async function ask() {
      clearTimeout(poll);
      poll = setTimeout(again, pollTime);
      if (document.hidden || isOver) return;
      try {
        const answer = await request();
        if (isOver) return;
        if (answer.status === 404) return end(ended);
        if (answer.ok) { showNotice(""); return take(await answer.json()); }
        showNotice(answer.status === 503 || answer.status === 429
          ? "Too many look at this link now; it is tried again." : "The server has a problem; it is tried again.");
      } catch {
        showNotice(navigator.onLine ? "The server does not answer; it is tried again."
          : "You are offline: this is the last that came.");
      }
    }

    const request = (more = {}) => fetch(`${location.pathname}/${id}`,
      { cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer", ...more });

    // A stream is tried again as long as one came through before.
    function again() {
      poll = null;
      if (secret) return feed();
      if (!hasStream) return ask();
      pause();
      resume();
    }

    async function take(state) {
      const link = id;
      try {
        for (const kind of ["ground", "place"]) {
          const message = state[kind];
          // An older one is not shown again, whoever sends it.
          if (!message || message.counter <= seen[kind]) continue;
          const opened = await unseal(message, kind);
          if (isOver || link !== id) return;
          if (message.counter <= seen[kind]) continue;
          seen[kind] = message.counter;
          if (kind === "place") place = JSON.parse(new TextDecoder().decode(opened));
          else ground = groundIn(message.counter, opened);
        }
      } catch {
        return end("This link is cut or changed: its key does not open what comes. Ask for it again.");
      }
      update();
    }

    function unseal(message, kind) {
      const text = atob(message.sealed.replace(/-/g, "+").replace(/_/g, "/"));
      const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
      return crypto.subtle.decrypt(cipher(bytes.slice(0, 12), kind, message.counter), key, bytes.slice(12));
    }

    const cipher = (nonce, kind, counter) => ({ name: "AES-GCM", iv: nonce,
      additionalData: new TextEncoder().encode(`rally watch 1 ${id} ${kind} ${counter}`) });

    function groundIn(counter, buffer) {
      const view = new DataView(buffer), lines = [];
      const count = view.getUint16(10), scale = view.getUint16(8) / 10;
      let at = 12;
      for (let line = 0; line < count; line++) {
        const kind = view.getUint8(at), points = [], length = view.getUint16(at + 1);
        at += 3;
        for (let point = 0; point < length; point++, at += 4)
          points.push([view.getInt16(at) * scale, view.getInt16(at + 2) * scale]);
        lines.push({ kind, points });
      }
      return { counter, latitude: view.getInt32(0) / 1e7, longitude: view.getInt32(4) / 1e7, lines };
    }

    // MARK: What is said

    function showNotice(sentence) {
      remark = sentence;
      update();
    }

    const winds = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];
    const wind = (degrees) => winds[Math.round(degrees / 45) % 8];

    function age(milliseconds) {
      const minutes = Math.floor(milliseconds / 60000);
      if (minutes < 1) return "now";
      if (minutes < 60) return minutes === 1 ? "1 minute ago" : `${minutes} minutes ago`;
      const hours = Math.floor(minutes / 60);
      return hours === 1 ? "1 hour ago" : `${hours} hours ago`;
    }

    const clock = (time) => new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    const isPrecise = () => place.mode === "precise";

    // Whether somebody is there by now, as far as anybody knows.
    function isLive() {
      const now = Date.now();
      return now - Date.parse(place.sent_at) < liveTime
        && (!isPrecise() || now - Date.parse(place.recorded_at) < liveTime);
    }

    function sentence() {
      if (!place) return "Waiting for the first place.";
      if (place.latitude === undefined) return `Where ${place.name} is is not known yet.`;
      const verb = isLive() ? "is" : "was", near = place.near;
      if (!isPrecise()) {
        const size = place.mode === "approximate_1km" ? "1 km" : "10 km";
        return `${place.name} ${verb} within about ${size} of this point`
          + `${near ? `, ${near}` : ""}, since about ${clock(place.recorded_at)}`
          + (isLive() ? "" : `, as of ${age(Date.now() - Date.parse(place.sent_at))}`);
      }
      let motion = "";
      if (isLive() && place.speed >= 0.5 && place.course !== undefined)
        motion = place.speed < 2.2 ? `, walking ${wind(place.course)}`
          : `, moving ${wind(place.course)} at ${Math.round(place.speed * 3.6)} km/h`;
      return `${place.name} ${verb} ${near || "here"}${motion}, ${age(Date.now() - Date.parse(place.recorded_at))}`;
    }

    function update() {
      if (isOver || part("open").hidden) return;
      if (place && Date.now() >= Date.parse(place.until)) return end(ended);
      const text = sentence();
      if (part("where").textContent !== text) part("where").textContent = text;
      const notes = place ? [`Shown ${secret ? "while this page is open, " : ""}until ${clock(place.until)}.`] : [];
      if (secret) {
        notes.push(watchers === 1 ? "1 watches." : `${watchers} watch.`);
        notes.push(lock && !lock.released ? "The screen stays on." : "Keep the screen on: what sleeps shows nothing new.");
      }
      if (place && !isLive()) notes.unshift("This place is old.");
      if (remark) notes.unshift(remark);
      part("state").textContent = notes.join(" ");
      if (place) document.title = `Where ${place.name} is`;
      draw();
    }
    """#
}

extension WatchPageDocument {
  /// What the browser's own device measures: how far it is, and on the phone of a link what feeds it.
  static let phoneScript = #"""
    // MARK: How far

    // What the browser has of this device stays in the page.
    function measure() {
      if (!navigator.geolocation) return void (part("far").textContent = "This browser does not know where you are.");
      part("far").textContent = "One moment.";
      navigator.geolocation.getCurrentPosition(({ coords }) => {
        if (!place || place.latitude === undefined) return void (part("far").textContent = "");
        const radians = Math.PI / 180, [a, b] = [coords.latitude * radians, place.latitude * radians];
        const turn = (place.longitude - coords.longitude) * radians;
        const chord = Math.sin((b - a) / 2) ** 2 + Math.cos(a) * Math.cos(b) * Math.sin(turn / 2) ** 2;
        const distance = 2 * 6371008.8 * Math.asin(Math.sqrt(chord));
        const vague = (coords.accuracy || 0) + (place.accuracy_m || 0);
        if (distance < vague) return void (part("far").textContent = `${place.name} is within ${metres(vague)} of you.`);
        const bearing = (Math.atan2(Math.sin(turn) * Math.cos(b),
          Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(turn)) / radians + 360) % 360;
        part("far").textContent = `${place.name} ${isLive() ? "is" : "was"} ${metres(distance)} ${wind(bearing)} of you.`;
      }, () => { part("far").textContent = "Your browser does not say where you are."; },
      { enableHighAccuracy: true, timeout: 20000, maximumAge: 30000 });
    }

    // MARK: My own phone

    // Reads whose link it is, then measures. The server gets what is sealed here and nothing else.
    async function feed() {
      if (measuring !== null) return;
      await ask();
      if (isOver || !place || measuring !== null) return;
      clearTimeout(poll);
      poll = null;
      // A coarse link never carries more than its cell, which only a terminal has.
      if (!isPrecise()) return end("A phone cannot feed this link: it shows an area alone.");
      if (!navigator.geolocation) return end("This browser does not know where you are.");
      measuring = navigator.geolocation.watchPosition(measured, ({ code }) => {
        if (code === 1) end("Your browser does not say where you are. Allow it for this page, and open the link again.");
        else showNotice("Where this phone is is not known now.");
      }, { enableHighAccuracy: true, maximumAge: 15000 });
      hold();
    }

    function measured({ coords, timestamp }) {
      const isFirst = !fix, rounded = (number) => Math.round(number * 1e7) / 1e7;
      const known = (number) => Number.isFinite(number) && number >= 0 ? number : undefined;
      fix = { latitude: rounded(coords.latitude), longitude: rounded(coords.longitude),
        accuracy_m: known(coords.accuracy), speed: known(coords.speed), course: known(coords.heading),
        recorded_at: new Date(timestamp).toISOString() };
      if (isFirst) send();
    }

    // At the beat with a tenth of it more or less, moved or not: the times reveal nothing.
    async function send() {
      beat = setTimeout(send, beatTime * (0.9 + 0.2 * Math.random()));
      const now = Date.now(), { name, mode, until } = place;
      const next = { name, mode, until, sent_at: new Date(now).toISOString(), ...fix };
      // After a reload, too, it is more than before.
      counter = Math.max(counter, seen.place) + 1;
      if (counter < now) counter = now;
      try {
        const answer = await request({ method: "POST", body: JSON.stringify({ place: await sealed(next, counter) }),
          headers: { "Content-Type": "application/json", Authorization: `Bearer ${secret}` } });
        if (isOver) return;
        if (answer.status === 404) return end(ended);
        if (!answer.ok) return showNotice("The server has a problem; it is tried again.");
        watchers = (await answer.json()).watchers;
        place = next;
        showNotice("");
      } catch {
        showNotice(navigator.onLine ? "The server does not answer; it is tried again." : "You are offline: nothing is sent.");
      }
    }

    async function sealed(place, counter) {
      const plain = new Uint8Array(placeSize).fill(32), nonce = crypto.getRandomValues(new Uint8Array(12));
      plain.set(new TextEncoder().encode(JSON.stringify(place)));
      const box = await crypto.subtle.encrypt(cipher(nonce, "place", counter), key, plain);
      const text = btoa(String.fromCharCode(...nonce, ...new Uint8Array(box)));
      return { counter, sealed: text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "") };
    }

    // The screen stays on where the browser lets it.
    async function hold() {
      if (measuring === null || document.hidden || lock && !lock.released) return;
      try { lock = await navigator.wakeLock.request("screen"); } catch {}
      update();
    }

    function rest() {
      clearTimeout(beat);
      if (measuring !== null) navigator.geolocation.clearWatch(measuring);
      if (lock) lock.release();
      secret = fix = beat = measuring = lock = null;
    }

    async function stop() {
      try {
        const answer = await request({ method: "DELETE", headers: { Authorization: `Bearer ${secret}` } });
        if (answer.ok || answer.status === 404) return end(ended);
      } catch {}
      showNotice("The link has not ended: the server does not answer. Once this page is closed nothing more is sent.");
    }

    part("stop").onclick = stop;
    part("distance").onclick = measure;
    part("nearer").onclick = () => { zoom = Math.max(1 / 8, zoom / 2); draw(); };
    part("farther").onclick = () => { zoom = Math.min(8, zoom * 2); draw(); };
    addEventListener("resize", draw);
    addEventListener("hashchange", begin);
    addEventListener("online", () => { pause(); showNotice(""); resume(); });
    addEventListener("offline", () => showNotice("You are offline: this is the last that came."));
    document.addEventListener("visibilitychange", () => { if (document.hidden) pause(); else { update(); resume(); hold(); } });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    setInterval(update, 5000);
    begin();
    """#
}

extension WatchPageDocument {
  /// Draws the lines around the place, how exact it is, and the scale.
  static let mapScript = #"""
    // MARK: The map

    function draw() {
      const canvas = part("map"), ratio = window.devicePixelRatio || 1;
      const width = canvas.clientWidth, height = canvas.clientHeight;
      canvas.width = width * ratio;
      canvas.height = height * ratio;
      const pen = canvas.getContext("2d");
      if (!place || place.latitude === undefined || isOver) {
        canvas.dataset.dot = "";
        return;
      }
      const style = getComputedStyle(document.documentElement);
      const colour = (name) => style.getPropertyValue(name).trim();
      pen.scale(ratio, ratio);
      const size = Math.min(width, height), radius = Math.max(place.accuracy_m || 0, isPrecise() ? 0 : 500);
      const across = Math.max(700, radius * 2.6) * zoom, metre = size / across;
      const [middleX, middleY] = [width / 2, height / 2];
      const lines = ground && ground.counter === place.ground ? ground.lines : [];
      part("credit").hidden = !lines.length;
      if (lines.length) {
        const east = (ground.longitude - place.longitude) * metresPerDegree
          * Math.cos(place.latitude * Math.PI / 180);
        const north = (ground.latitude - place.latitude) * metresPerDegree;
        const looks = { 1: ["--water", 2], 2: ["--road", 3], 3: ["--path", 1.5], 4: ["--rail", 1.5], 5: ["--text", 1] };
        for (const { kind, points } of lines) {
          const [name, weight] = looks[kind] || looks[3];
          pen.strokeStyle = colour(name);
          pen.lineWidth = weight;
          pen.beginPath();
          points.forEach(([x, y], index) => {
            const [atX, atY] = [middleX + (x + east) * metre, middleY - (y + north) * metre];
            if (index) pen.lineTo(atX, atY); else pen.moveTo(atX, atY);
          });
          pen.stroke();
        }
      }
      pen.fillStyle = colour("--soft");
      pen.strokeStyle = colour("--line");
      pen.lineWidth = 1;
      pen.font = "13px system-ui, sans-serif";
      const step = nice(across / 5);
      if (!lines.length) for (let ring = 1; ring <= 3; ring++) circle(pen, middleX, middleY, ring * step * metre);
      // With the ground's colour around them, so that lines below do not cross them.
      const paper = colour("--ground");
      pen.strokeStyle = paper;
      pen.lineWidth = 5;
      pen.lineJoin = "round";
      for (const [text, x, y] of [["N", width - 20, 20], [metres(step), 12, height - 20]]) {
        pen.strokeText(text, x, y);
        pen.fillText(text, x, y);
      }
      for (const [x, y, wide, high] of [[width - 16, 26, 2, 16], [12, height - 14, step * metre, 2]]) {
        pen.lineWidth = 3;
        pen.strokeRect(x, y, wide, high);
        pen.fillRect(x, y, wide, high);
      }
      const dot = colour(isLive() ? "--accent" : "--old");
      pen.strokeStyle = pen.fillStyle = dot;
      pen.lineWidth = 2;
      if (radius) circle(pen, middleX, middleY, radius * metre);
      const weight = isPrecise() ? 8 : 4;
      pen.lineWidth = 6;
      pen.strokeStyle = paper;
      circle(pen, middleX, middleY, weight);
      pen.lineWidth = 2;
      pen.strokeStyle = dot;
      pen.beginPath();
      pen.arc(middleX, middleY, weight, 0, 2 * Math.PI);
      if (isLive()) pen.fill(); else pen.stroke();
      canvas.dataset.dot = `${place.latitude},${place.longitude},${isLive() ? "live" : "old"},${lines.length}`;
    }

    function circle(pen, x, y, radius) {
      pen.beginPath();
      pen.arc(x, y, radius, 0, 2 * Math.PI);
      pen.stroke();
    }

    // 1, 2 or 5 times a power of ten.
    function nice(number) {
      const power = 10 ** Math.floor(Math.log10(number));
      return power * (number / power >= 5 ? 5 : number / power >= 2 ? 2 : 1);
    }

    const metres = (length) => length < 1000 ? `${Math.round(length)} m`
      : `${length < 10000 ? (length / 1000).toFixed(1) : Math.round(length / 1000)} km`;
    """#
}

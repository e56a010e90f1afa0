import Observation
import Synchronization
import RallyDomain

/// A place in the tree of views: keeps what outlives the view values that pass through it.
@MainActor public final class Node {
  struct Key: Hashable {
    let id: AnyHashable
    let type: ObjectIdentifier
  }

  /// Unsafe, since a graph that ends removes its nodes while it is being destroyed; no node is in
  /// use after that, because removal cuts all that leads to it.
  unowned(unsafe) let graph: Graph
  /// Unsafe for the same reason; a parent lives longer than its children.
  unowned(unsafe) let parent: Node?
  let key: Key
  let depth: Int
  private(set) var isAlive = true

  /// The dependencies that views in this place see.
  public var environment: EnvironmentValues
  /// How this node takes part in layout; nil joins its children to the surrounding container.
  public var layout: (any LayoutElement)?
  /// Whatever a primitive view keeps from one value to the next.
  public var storage: AnyObject?
  /// False hides the subtree from drawing and from keys; its state and tasks go on.
  public var isVisible = true { didSet { if isVisible != oldValue { graph.structureChanged() } } }
  /// True takes the subtree out of the layout of its surroundings and over everything.
  var isOverlay = false { didSet { if isOverlay != oldValue { graph.structureChanged() } } }
  /// True keeps keys from everything else.
  var isModal = false { didSet { if isModal != oldValue { graph.structureChanged() } } }
  var onRefusal: (@MainActor (Action, String) -> Void)? {
    didSet { if (onRefusal == nil) != (oldValue == nil) { graph.structureChanged() } }
  }
  var onNotice: (@MainActor (String) -> Void)? {
    didSet { if (onNotice == nil) != (oldValue == nil) { graph.structureChanged() } }
  }
  var mouse: (any MouseTarget)? {
    didSet { if (mouse == nil) != (oldValue == nil) { graph.structureChanged() } }
  }
  var actionHandlers: [ActionHandler] = [] {
    didSet { if actionHandlers.isEmpty != oldValue.isEmpty { graph.structureChanged() } }
  }
  var keyHandlers: [KeyHandler] = [] {
    didSet { if keyHandlers.isEmpty != oldValue.isEmpty { graph.structureChanged() } }
  }
  var input: (any InputTarget)? {
    didSet { if (input == nil) != (oldValue == nil) { graph.structureChanged() } }
  }
  var effects: (any NodeEffects)?

  private(set) var children: [Node] = []
  private(set) var locations: [Int: AnyObject] = [:]
  private var previousChildren: [Node] = []
  private var cursor = 0

  private var rerun: (@MainActor () -> Void)?
  private var generation = 0
  private var isArmed = false
  private let pulse = Pulse()
  private let reference = NodeReference()
  private(set) var isDirty = false

  #if DEBUG
    /// The properties of the view that this node shows now.
    var mounted: [DynamicProperty] = []
  #endif

  var frame = Rect.zero
  private var measurements = Measurements()
  private var flattened: [Node]?

  init(graph: Graph, key: Key, parent: Node?, environment: EnvironmentValues) {
    self.graph = graph
    self.parent = parent
    self.key = key
    self.environment = environment
    depth = (parent?.depth ?? -1) + 1
    reference.node = self
    graph.nodeCount += 1
  }

  // MARK: Children

  /// Puts a view in the place of the child with this id, keeping the node when the type is the same.
  /// What an `AnyView` wraps stands there itself.
  @discardableResult
  public func child<V: View>(
    _ view: V, id: AnyHashable = 0, environment: EnvironmentValues? = nil
  ) -> Node {
    if V.self == AnyView.self, let erased = view as? AnyView {
      return erased.visit(self, id, environment)
    }
    let key = Key(id: id, type: ObjectIdentifier(V.self))
    let node =
      takePrevious(key)
      ?? Node(
        graph: graph, key: key, parent: self, environment: environment ?? self.environment)
    node.environment = environment ?? self.environment
    children.append(node)
    node.apply(view)
    return node
  }

  /// Leaves the child with this id as it is, instead of visiting it; false when there is none.
  func keepChild<V: View>(_ type: V.Type, id: AnyHashable) -> Bool {
    guard let node = takePrevious(Key(id: id, type: ObjectIdentifier(type))) else { return false }
    children.append(node)
    return true
  }

  private func takePrevious(_ key: Key) -> Node? {
    if cursor < previousChildren.count, previousChildren[cursor].key == key {
      cursor += 1
      return previousChildren[cursor - 1].isTaken(by: &takenCount)
    }
    guard let index = previousChildren.firstIndex(where: { $0.key == key && !$0.wasTaken })
    else { return nil }
    cursor = index + 1
    return previousChildren[index].isTaken(by: &takenCount)
  }

  private var takenCount = 0
  private var wasTaken = false

  private func isTaken(by count: inout Int) -> Node? {
    guard !wasTaken else { return nil }
    wasTaken = true
    count += 1
    return self
  }

  /// Visits children anew; those that are not visited leave the tree with their state.
  func rebuildChildren(_ visit: () -> Void) {
    previousChildren = children
    for child in previousChildren { child.wasTaken = false }
    children = []
    cursor = 0
    takenCount = 0
    visit()
    if takenCount < previousChildren.count {
      for child in previousChildren where !child.wasTaken { child.remove() }
    }
    if !hasSameChildren { graph.structureChanged() }
    previousChildren = []
    forgetItems()
  }

  private var hasSameChildren: Bool {
    guard children.count == previousChildren.count else { return false }
    for (child, previous) in zip(children, previousChildren) where child !== previous {
      return false
    }
    return true
  }

  /// Builds the children anew outside of the first pass: a list that was scrolled.
  func rebuild(_ visit: () -> Void) {
    begin()
    rebuildChildren(visit)
  }

  func apply<V: View>(_ view: V) {
    rerun = { [unowned self] in apply(view) }
    begin()
    view.mount(on: self)
  }

  /// Connects the view's property wrappers. The type is asked first: casting a value of another kind to a
  /// class looks for ways to bridge it, once for each type, through all conformances there are.
  func link(_ view: some View) {
    #if DEBUG
      mounted = []
    #endif
    for (index, child) in Mirror(reflecting: view).children.enumerated()
    where type(of: child.value) is DynamicProperty.Type {
      guard let property = child.value as? DynamicProperty else { continue }
      property.mount(on: self)
      property.link(self, index: index)
    }
  }

  func location<Value>(at index: Int, make: () -> StateLocation<Value>) -> StateLocation<Value> {
    if let known = locations[index] as? StateLocation<Value> { return known }
    let location = make()
    locations[index] = location
    return location
  }

  func remove() {
    isAlive = false
    disarm()
    reference.node = nil
    rerun = nil
    effects?.cancel()
    effects = nil
    graph.nodeCount -= 1
    for child in children { child.remove() }
    children = []
  }

  // MARK: Observation

  /// Runs `read`, and this node again once something observable in it has changed.
  ///
  /// Children are visited outside of `read`: an inner tracking would hand all it read to this one.
  func observe<Value>(_ read: () -> Value) -> Value {
    let generation = generation
    let pulse = pulse
    let reference = reference
    let token = graph.registrationCount.map(RegistrationToken.init)
    isArmed = true
    graph.bodyDepth += 1
    defer { graph.bodyDepth -= 1 }
    return withObservationTracking {
      _ = pulse.beat
      return read()
    } onChange: {
      _ = token
      onMainActor { reference.node?.changed(generation) }
    }
  }

  private func changed(_ generation: Int) {
    guard generation == self.generation, isAlive else { return }
    assert(graph.bodyDepth == 0, "state was written while a body was read")
    invalidate()
  }

  func invalidate() {
    guard !isDirty, isAlive else { return }
    isDirty = true
    graph.invalidated(self)
  }

  func rerunIfDirty() {
    guard isDirty, isAlive else { return }
    rerun?()
    graph.contentChanged(self)
  }

  private func begin() {
    isDirty = false
    measurements.outdate()
    disarm()
  }

  /// Uses up the registrations of earlier trackings, which otherwise stay until what they read
  /// changes: every tracking reads the pulse as well.
  private func disarm() {
    generation += 1
    if isArmed {
      isArmed = false
      pulse.beat &+= 1
    }
  }

  // MARK: Layout

  /// The nodes that take part in the layout of the container this stands in.
  public var items: [Node] {
    if let flattened { return flattened }
    let items = children.flatMap { child -> [Node] in
      if child.isOverlay { return [] }
      return child.layout == nil ? child.items : [child]
    }
    flattened = items
    return items
  }

  /// This node where it takes part in layout itself, else what in it does.
  var layoutItems: [Node] { layout == nil ? items : [self] }

  /// Children without a layout of their own stand in the list of the next one above that has one.
  private func forgetItems() {
    flattened = nil
    var node = self
    while node.layout == nil, let above = node.parent {
      above.flattened = nil
      node = above
    }
  }

  /// The size this node wants when it is offered `proposal`.
  public func measure(_ proposal: Size) -> Size {
    let proposal = Size(width: max(0, proposal.width), height: max(0, proposal.height))
    if let known = measurements.size(for: proposal, in: graph.layoutPass) { return known }
    let size = layout?.measure(self, proposal) ?? .zero
    measurements.add(size, for: proposal)
    return size
  }

  /// The node to place anew after this one changed: this one, or where it now wants another size,
  /// the first one above that does not. The root is never asked for its size.
  func outermostChange() -> Node {
    var node = self
    while node.layout == nil || node.layout is Spacer || !node.keepsItsSize {
      guard let above = node.parent else { break }
      above.measurements.outdate()
      node = above
    }
    return node
  }

  /// Whether this node answers every proposal of the last layout as it did then.
  private var keepsItsSize: Bool {
    measurements.takeOutdated(in: graph.layoutPass).allSatisfy { measure($0.proposal) == $0.size }
  }

  public func place(in rect: Rect) {
    frame = rect
    measurements.settle()
    layout?.place(self, in: rect)
  }

  public func draw(_ canvas: Canvas) {
    guard isVisible else { return }
    layout?.draw(self, canvas.clipped(to: frame))
  }

  /// Visits this node and the visible ones below, outer ones first, overlays where they stand.
  func walk(_ visit: (Node) -> Void) {
    guard isVisible else { return }
    visit(self)
    for child in children { child.walk(visit) }
  }
}

/// Leads from a tracking to its node as long as that is in the tree.
///
/// A weak reference would do, but an object that has one pays for it at every retain.
@MainActor private final class NodeReference {
  var node: Node?
}

/// Counts the trackings that are registered somewhere, for a test that none is left behind.
final class RegistrationCount: Sendable {
  private let count = Mutex(0)

  var live: Int { count.withLock { $0 } }

  fileprivate func add(_ number: Int) { count.withLock { $0 += number } }
}

/// Lives as long as the registration that captured it.
private final class RegistrationToken: Sendable {
  private let count: RegistrationCount

  init(_ count: RegistrationCount) {
    self.count = count
    count.add(1)
  }

  deinit { count.add(-1) }
}

/// Read by every tracking of a node, so that a beat uses up all of them.
@MainActor @Observable final class Pulse {
  var beat = 0
}

/// Runs on the main actor: at once when already there, else soon.
private func onMainActor(_ work: @escaping @MainActor @Sendable () -> Void) {
  if isOnMainQueue() {
    MainActor.assumeIsolated(work)
  } else {
    Task { @MainActor in work() }
  }
}

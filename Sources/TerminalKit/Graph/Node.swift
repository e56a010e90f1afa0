import Observation
import RallyEnvironment
import RuntimeHooks
import Synchronization

/// A node of the view tree. Holds what outlives individual view values: state, children, layout and
/// effects.
@MainActor public final class Node {
  struct Key: Hashable {
    let id: ChildID
    let type: ObjectIdentifier
  }

  /// Unsafe, since a graph removes its nodes during its own deinit; removed nodes are no longer
  /// referenced.
  package unowned(unsafe) let graph: Graph
  /// Unsafe for the same reason; a parent lives longer than its children.
  unowned(unsafe) let parent: Node?
  let key: Key
  let depth: Int
  package private(set) var isAlive = true

  /// The environment of views at this node.
  public var environment: EnvironmentValues
  /// The `AnyView` that this node was last updated from; nil if it was another kind of view.
  private var source: AnyView.ID?
  /// The node's layout; nil makes its children direct items of the surrounding container.
  public var layout: (any LayoutElement)?
  /// Storage for a primitive view's own state across updates.
  public var storage: AnyObject?
  /// Whether the subtree's bodies run again while it is hidden, and not only once it is shown.
  var updatesHidden = false {
    didSet { if updatesHidden != oldValue { graph.visibilityChanged() } }
  }
  /// False excludes the subtree from drawing and input; its state and tasks stay alive.
  public var isVisible = true {
    didSet {
      guard isVisible != oldValue else { return }
      graph.visibilityChanged()
      graph.structureChanged()
      if isVisible { graph.hasShown() }
    }
  }
  /// Whether the subtree is drawn over everything, outside of its surroundings' layout.
  package var isOverlay = false { didSet { if isOverlay != oldValue { graph.structureChanged() } } }
  /// Whether the subtree receives all input, except for actions with a global handler.
  var isModal = false { didSet { if isModal != oldValue { graph.structureChanged() } } }
  var onRefusal: (@MainActor (Action, String) -> Void)? {
    didSet { if (onRefusal == nil) != (oldValue == nil) { graph.structureChanged() } }
  }
  package var onNotice: (@MainActor (String) -> Void)? {
    didSet { if (onNotice == nil) != (oldValue == nil) { graph.structureChanged() } }
  }
  var mouse: (any MouseTarget)? {
    didSet { if (mouse == nil) != (oldValue == nil) { graph.structureChanged() } }
  }
  var actionHandlers: [ActionHandler] = [] {
    didSet {
      if actionHandlers.isEmpty != oldValue.isEmpty {
        graph.structureChanged()
      } else if !actionHandlers.elementsEqual(oldValue, by: { $0.offer == $1.offer }) {
        graph.offersChanged()
      }
    }
  }
  /// Actions whose keys the subtree shows.
  var shownHints: [ActionID] = [] {
    didSet {
      if shownHints.isEmpty != oldValue.isEmpty {
        graph.structureChanged()
      } else if shownHints != oldValue {
        graph.offersChanged()
      }
    }
  }
  var keyHandlers: [KeyHandler] = [] {
    didSet { if keyHandlers.isEmpty != oldValue.isEmpty { graph.structureChanged() } }
  }
  var input: (any InputTarget)? {
    didSet { if (input == nil) != (oldValue == nil) { graph.structureChanged() } }
  }
  package var effects: (any NodeEffects)?

  private(set) var children: [Node] = []
  private(set) var locations: [Int: AnyObject] = [:]
  private var previousChildren: [Node] = []
  private var cursor = 0

  private var rerun: (@MainActor () -> Void)?
  private var generation = 0
  /// The trackings of this generation that have not fired.
  private var armed = 0
  private let pulse = ObservationInvalidator()
  private let reference = NodeReference()
  private(set) var isDirty = false

  #if DEBUG
    /// The properties of the view that this node shows now.
    var mounted: [DynamicProperty] = []
  #endif

  package var frame = Rect.zero
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

  /// Adds or updates a child. Reuses its node if the view type is unchanged. `AnyView` is unwrapped
  /// and gets no node of its own.
  public func child(_ view: some View) { child(view, id: ChildID()) }

  /// Adds or updates the child with this id, or the children with it.
  func child<V: View>(_ view: V, id: ChildID = ChildID(), environment: EnvironmentValues? = nil) {
    if V.self == AnyView.self, let erased = view as? AnyView {
      erased.visit(self, id, environment)
    } else {
      updateChild(view, id: id, environment: environment)
    }
  }

  /// Adds or updates one child.
  ///
  /// - Parameter source: The `AnyView` around the view. A child that shows this same value already,
  ///   in the same environment, is kept as it is: what changed inside of it updates by itself.
  @discardableResult
  func updateChild<V: View>(
    _ view: V, from source: AnyView.ID? = nil, id: ChildID, environment: EnvironmentValues? = nil
  ) -> Node {
    let key = Key(id: id, type: ObjectIdentifier(V.self))
    let environment = environment ?? self.environment
    let node =
      takePrevious(key) ?? Node(graph: graph, key: key, parent: self, environment: environment)
    children.append(node)
    if let source, source == node.source, node.environment.isUnchanged(from: environment) {
      return node
    }
    node.environment = environment
    node.source = source
    node.apply(view)
    return node
  }

  /// Keeps the child with this id without updating it; nil if there is none.
  func keepChild<V: View>(_ type: V.Type, id: ChildID) -> Node? {
    guard let node = takePrevious(Key(id: id, type: ObjectIdentifier(type))) else { return nil }
    children.append(node)
    return node
  }

  /// Keeps all children without updating them, instead of visiting each.
  ///
  /// - Returns: False, with none kept, if there is another number of them.
  func keepChildren(ifThereAre count: Int) -> Bool {
    guard previousChildren.count == count else { return false }
    children = previousChildren
    for child in children { child.wasTaken = true }
    takenCount = count
    return true
  }

  /// Gives a kept child a new value of its view.
  func updateKeptChild(_ index: Int, to view: some View) {
    let child = children[index]
    child.environment = environment
    child.apply(view)
  }

  private func takePrevious(_ key: Key) -> Node? {
    if cursor < previousChildren.count, previousChildren[cursor].key == key {
      cursor += 1
      return previousChildren[cursor - 1].isTaken(by: &takenCount)
    }
    guard let index = previousChildren.firstIndex(where: { $0.key == key && !$0.wasTaken })
    else { return nil }
    if index < cursor { isReordered = true }
    cursor = index + 1
    return previousChildren[index].isTaken(by: &takenCount)
  }

  private var takenCount = 0
  /// Whether children changed places in the current rebuild.
  private var isReordered = false
  private var wasTaken = false

  private func isTaken(by count: inout Int) -> Node? {
    guard !wasTaken else { return nil }
    wasTaken = true
    count += 1
    return self
  }

  /// Rebuilds the list of children; those that `visit` does not add are removed with their state.
  func rebuildChildren(_ visit: () -> Void) {
    previousChildren = children
    for child in previousChildren { child.wasTaken = false }
    children = []
    cursor = 0
    takenCount = 0
    isReordered = false
    visit()
    if takenCount < previousChildren.count {
      for child in previousChildren where !child.wasTaken { child.remove() }
    }
    if isReordered { graph.structureChanged() }
    let areSame =
      !isReordered && takenCount == previousChildren.count && takenCount == children.count
    previousChildren = []
    if !areSame { forgetItems() }
  }

  /// Whether the graph's `InputScope` holds this node while it is visible.
  private var takesPartInInput: Bool {
    isOverlay || isModal || mouse != nil || input != nil || !actionHandlers.isEmpty
      || !keyHandlers.isEmpty
      || !shownHints.isEmpty || onRefusal != nil || onNotice != nil
  }

  /// Rebuilds the children outside of the first pass, such as those of a scrolled list.
  func rebuild(_ visit: () -> Void) {
    begin()
    rebuildChildren(visit)
  }

  func apply<V: View>(_ view: V) {
    rerun = { [unowned self] in apply(view) }
    begin()
    view.mount(on: self)
  }

  /// Where the property wrappers are in views of each type, in bytes from the view's start.
  private static var wrapperOffsets: [ObjectIdentifier: [Int]] = [:]

  /// Connects the view's property wrappers. Their places are looked up once per type: a mirror of
  /// each value took a tenth of the time of a key press.
  func link<V: View>(_ view: V) {
    #if DEBUG
      mounted = []
    #endif
    let offsets = Self.wrapperOffsets[ObjectIdentifier(V.self)] ?? Self.findWrappers(in: V.self)
    guard !offsets.isEmpty else { return }
    withUnsafeBytes(of: view) { bytes in
      for (index, offset) in offsets.enumerated() {
        let property = bytes.load(fromByteOffset: offset, as: Unmanaged<DynamicProperty>.self)
          .takeUnretainedValue()
        property.mount(on: self)
        property.link(self, index: index)
      }
    }
  }

  private static func findWrappers<V: View>(in type: V.Type) -> [Int] {
    let offsets = StoredProperties.offsets(in: type) { $0 is DynamicProperty.Type }
    wrapperOffsets[ObjectIdentifier(type)] = offsets
    return offsets
  }

  func location<Value>(at index: Int, make: () -> StateLocation<Value>) -> StateLocation<Value> {
    if let known = locations[index] as? StateLocation<Value> { return known }
    let location = make()
    locations[index] = location
    return location
  }

  func remove() {
    isAlive = false
    if takesPartInInput { graph.structureChanged() }
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

  /// Runs `read` with observation tracking; the node is updated again when something it read
  /// changes.
  ///
  /// Children must be visited outside of `read`: nested trackings would register their reads here
  /// too.
  func observe<Value>(_ read: () -> Value) -> Value {
    let generation = generation
    let pulse = pulse
    let reference = reference
    let token = graph.registrationCount.map(RegistrationToken.init)
    armed += 1
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
    armed -= 1
    invalidate()
  }

  /// Whether a hidden subtree holds this node and is updated only once it is shown. Looked up once
  /// for as long as no subtree is hidden or shown.
  var isPostponed: Bool {
    if let postponement, postponement.visibility == graph.visibility { return postponement.value }
    var node = self
    while node.isVisible || node.updatesHidden, let above = node.parent { node = above }
    let value = !(node.isVisible || node.updatesHidden)
    postponement = (graph.visibility, value)
    return value
  }

  private var postponement: (visibility: Int, value: Bool)?

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

  /// Fires the registrations of earlier trackings, which would otherwise stay registered until a
  /// value they read changes. Works because every tracking also reads `pulse`.
  private func disarm() {
    generation += 1
    if armed > 0 {
      armed = 0
      pulse.beat &+= 1
    }
  }

  // MARK: Layout

  /// The child nodes that take part in this container's layout, flattened over nodes without a
  /// layout.
  public var items: [Node] {
    if let flattened { return flattened }
    let items = children.flatMap { child -> [Node] in
      if child.isOverlay { return [] }
      return child.layout == nil ? child.items : [child]
    }
    flattened = items
    return items
  }

  /// This node if it has a layout, else its items.
  var layoutItems: [Node] { layout == nil ? items : [self] }

  /// Invalidates the cached items, also of ancestors up to the next one with a layout.
  private func forgetItems() {
    flattened = nil
    var node = self
    while node.layout == nil, let above = node.parent {
      above.flattened = nil
      node = above
    }
  }

  /// The node's preferred size for a proposal; cached per layout pass.
  public func measure(_ proposal: Size) -> Size {
    let proposal = Size(width: max(0, proposal.width), height: max(0, proposal.height))
    if let known = measurements.size(for: proposal, in: graph.layoutPass) { return known }
    let size = layout?.measure(self, proposal) ?? .zero
    measurements.add(size, for: proposal)
    return size
  }

  /// The nodes to place again after this one changed; none for a node that draws nothing.
  func outermostChanges() -> [Node] {
    // While the items of a node without a layout are the same, their surroundings know them.
    if layout == nil, let flattened { return flattened.map { $0.outermostChange() } }
    return [outermostChange()]
  }

  /// This node, or if its size changed the nearest ancestor whose size did not. The root is never
  /// measured.
  private func outermostChange() -> Node {
    var node = self
    while node.layout == nil || node.layout?.spacerLength != nil || !node.keepsItsSize {
      guard let above = node.parent else { break }
      above.measurements.outdate()
      node = above
    }
    return node
  }

  /// Whether this node still has the same size for every proposal of the last layout.
  private var keepsItsSize: Bool {
    measurements.takeOutdated(in: graph.layoutPass).allSatisfy { measure($0.proposal) == $0.size }
  }

  public func place(in rect: Rect) {
    frame = rect
    measurements.commit()
    layout?.place(self, in: rect)
  }

  public func draw(_ canvas: Canvas) {
    guard isVisible else { return }
    layout?.draw(self, canvas.clipped(to: frame))
  }

  /// Visits this node and its visible descendants, outer nodes first, including overlays.
  func walk(_ visit: (Node) -> Void) {
    guard isVisible else { return }
    visit(self)
    for child in children { child.walk(visit) }
  }
}

/// References a node from its observation callbacks while it is in the tree.
///
/// Not a weak reference: those make every retain of the node slower.
@MainActor private final class NodeReference {
  var node: Node?
}

/// Counts live observation registrations, for a test that none leaks.
final class RegistrationCount: Sendable {
  private let count = Mutex(0)

  var live: Int { count.withLock { $0 } }

  fileprivate func add(_ number: Int) { count.withLock { $0 += number } }
}

/// Captured by a registration, so that its deinit marks the registration's end.
private final class RegistrationToken: Sendable {
  private let count: RegistrationCount

  init(_ count: RegistrationCount) {
    self.count = count
    count.add(1)
  }

  deinit { count.add(-1) }
}

/// Read by every tracking of a node; changing `beat` fires and so removes all of them.
@MainActor @Observable final class ObservationInvalidator {
  var beat = 0
}

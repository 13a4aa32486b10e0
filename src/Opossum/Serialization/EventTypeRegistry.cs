using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization.Metadata;
using Opossum.Serialization;

namespace Opossum;

/// <summary>The event types of a store: the CLR type of each name, its JSON form, and the upcasters for old JSON.</summary>
/// <remarks>
/// Register everything before a store is opened; opening freezes the registry. Several stores may share one registry, through
/// <see cref="OpossumOptions.EventTypes"/>. Adding the same registration again is allowed, even after that; one name for two CLR types, or two
/// names for one type, is refused. So is, when a store opens, a class whose JSON would lose a member between an append and a read, by the member's
/// name; see docs/getting-started.md.
/// <para>
/// By default properties and public fields are written in camelCase, enums by name, and JSON is read only if its members match the class (see
/// <see cref="AllowUnknownOrMissingMembers"/>). In an app that is trimmed or compiled ahead of time, use the
/// overloads that take a <see cref="JsonTypeInfo{T}"/> of a source-generated context. The options of that context then apply, so
/// declare it with <c>[JsonSourceGenerationOptions(JsonSerializerDefaults.Web, UseStringEnumConverter = true, UnmappedMemberHandling =
/// JsonUnmappedMemberHandling.Disallow, RespectRequiredConstructorParameters = true)]</c> for the same JSON, read no less strictly.
/// </para>
/// </remarks>
/// <example><code>
/// options.EventTypes.AddAssembly(typeof(StudentEnrolled).Assembly);   // every type with [EventType]
/// options.EventTypes.Add&lt;StudentLeft&gt;("student-left");               // a type without the attribute
/// options.EventTypes.Add(EventsJson.Default.CourseDefined);           // source-generated, for trimming and AOT
/// options.EventTypes.AddUpcaster("student-enrolled", fromVersion: 1, json =&gt; { json["seats"] = 1; return json; });
/// </code></example>
public sealed class EventTypeRegistry
{
    private const string NeedsReflection =
        "Event types registered without a JsonTypeInfo may be serialized by reflection. Use Add(JsonTypeInfo<T>) with a source-generated "
            + "JsonSerializerContext.";

    private readonly Lock gate = new();
    private readonly Dictionary<string, RegisteredEventType> byName = new(StringComparer.Ordinal);
    private readonly Dictionary<Type, RegisteredEventType> byClrType = [];
    private readonly Dictionary<(string EventType, int FromVersion), Func<JsonNode, JsonNode>> upcasters = [];
    // By each base class of registered types: those that derive from it.
    private readonly Dictionary<Type, List<RegisteredEventType>> derived = [];
    private readonly PersonalPaths personal = new();
    private JsonSerializerOptions? givenOptions;
    private JsonSerializerOptions? reflectionOptions;
    private bool isTolerant;
    private bool frozen;

    /// <summary>Registers a type under the name and the version of its <see cref="EventTypeAttribute"/>.</summary>
    /// <typeparam name="T">A class or struct that can be instantiated.</typeparam>
    /// <returns>This registry.</returns>
    /// <exception cref="ArgumentException">The type has no attribute, is abstract, an interface or an open generic, or the name is not
    /// allowed.</exception>
    /// <exception cref="InvalidOperationException">
    /// The type or the name is registered differently, or a store was already opened with this registry.
    /// </exception>
    [RequiresUnreferencedCode(NeedsReflection)]
    [RequiresDynamicCode(NeedsReflection)]
    public EventTypeRegistry Add<T>() => Add(typeof(T));

    /// <summary>Registers a type under a name. The type has no attribute, or its attribute has the same name.</summary>
    /// <typeparam name="T">A class or struct that can be instantiated.</typeparam>
    /// <param name="name">The stable name: 1 to 1,000 characters.</param>
    /// <param name="version">The version of the JSON shape, from 1; see <see cref="EventTypeAttribute.Version"/>.</param>
    /// <returns>This registry.</returns>
    /// <exception cref="ArgumentException">The type is abstract, an interface or open generic, or the name or the version is not allowed.</exception>
    /// <exception cref="InvalidOperationException">
    /// The attribute has another name, the type or the name is registered differently, or a store was already opened with this registry.
    /// </exception>
    [RequiresUnreferencedCode(NeedsReflection)]
    [RequiresDynamicCode(NeedsReflection)]
    public EventTypeRegistry Add<T>(string name, int version = 1) => AddReflected(typeof(T), name, version);

    /// <summary>Registers a type under the name and the version of its <see cref="EventTypeAttribute"/>.</summary>
    /// <param name="type">A class or struct that can be instantiated.</param>
    /// <returns>This registry.</returns>
    /// <exception cref="ArgumentException">The type has no attribute, is abstract, an interface or an open generic, or the name is not
    /// allowed.</exception>
    /// <exception cref="InvalidOperationException">
    /// The type or the name is registered differently, or a store was already opened with this registry.
    /// </exception>
    [RequiresUnreferencedCode(NeedsReflection)]
    [RequiresDynamicCode(NeedsReflection)]
    public EventTypeRegistry Add(Type type)
    {
        ArgumentNullException.ThrowIfNull(type);
        var attribute = AttributeOf(type);
        return AddReflected(type, attribute.Name, attribute.Version);
    }

    /// <summary>Registers every type of an assembly that has an <see cref="EventTypeAttribute"/>.</summary>
    /// <param name="assembly">The assembly, such as <c>typeof(StudentEnrolled).Assembly</c>.</param>
    /// <returns>This registry.</returns>
    /// <exception cref="ArgumentException">No type has the attribute, or a type with the attribute is not allowed.</exception>
    /// <exception cref="InvalidOperationException">A type or a name is registered differently, or a store was already opened with this
    /// registry.</exception>
    [RequiresUnreferencedCode(NeedsReflection)]
    [RequiresDynamicCode(NeedsReflection)]
    public EventTypeRegistry AddAssembly(Assembly assembly)
    {
        ArgumentNullException.ThrowIfNull(assembly);
        var types = assembly.GetTypes().Where(type => type.IsDefined(typeof(EventTypeAttribute), inherit: false)).ToArray();
        if (types.Length == 0)
            throw new ArgumentException($"The assembly {assembly.GetName().Name} contains no type with [EventType].", nameof(assembly));
        foreach (var type in types)
            Add(type);
        return this;
    }

    /// <summary>
    /// Registers a type that a source-generated context serializes, under the name and the version of its <see cref="EventTypeAttribute"/>.
    /// </summary>
    /// <typeparam name="T">A class or struct that can be instantiated.</typeparam>
    /// <param name="json">
    /// The JSON metadata of the type, such as <c>EventsJson.Default.StudentEnrolled</c>; the options of its context apply, except for escaping.
    /// </param>
    /// <returns>This registry.</returns>
    /// <exception cref="ArgumentException">The type has no attribute, or is abstract or an interface, or the name is not allowed.</exception>
    /// <exception cref="InvalidOperationException">
    /// The type or the name is registered differently, or a store was already opened with this registry.
    /// </exception>
    public EventTypeRegistry Add<[DynamicallyAccessedMembers(DeclaredTags.Members)] T>(JsonTypeInfo<T> json)
    {
        var attribute = AttributeOf(typeof(T));
        return Add(json, attribute.Name, attribute.Version);
    }

    /// <summary>Registers a type that a source-generated context serializes, under a name.</summary>
    /// <typeparam name="T">A class or struct that can be instantiated.</typeparam>
    /// <param name="json">
    /// The JSON metadata of the type, such as <c>EventsJson.Default.StudentEnrolled</c>; the options of its context apply, except for escaping.
    /// </param>
    /// <param name="name">The stable name: 1 to 1,000 characters.</param>
    /// <param name="version">The version of the JSON shape, from 1; see <see cref="EventTypeAttribute.Version"/>.</param>
    /// <returns>This registry.</returns>
    /// <exception cref="ArgumentException">The type is abstract or an interface, or the name or the version is not allowed.</exception>
    /// <exception cref="InvalidOperationException">
    /// The attribute has another name, the type or the name is registered differently, or a store was already opened with this registry.
    /// </exception>
    public EventTypeRegistry Add<[DynamicallyAccessedMembers(DeclaredTags.Members)] T>(JsonTypeInfo<T> json, string name, int version = 1)
    {
        ArgumentNullException.ThrowIfNull(json);
        return Register(typeof(T), name, version, json);
    }

    /// <summary>
    /// Sets the JSON options of the types registered without a <see cref="JsonTypeInfo{T}"/>: naming, converters, or a
    /// source-generated context through <c>EventsJson.Default.Options</c>. Default: <see cref="JsonSerializerDefaults.Web"/> with enums by name.
    /// </summary>
    /// <param name="options">The options; they are copied. Indentation and escaping are ignored: an event's JSON has one form.</param>
    /// <returns>This registry.</returns>
    /// <exception cref="InvalidOperationException">A store was already opened with this registry.</exception>
    public EventTypeRegistry UseJsonSerializerOptions(JsonSerializerOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        lock (gate)
        {
            RefuseWhenFrozen();
            givenOptions = new JsonSerializerOptions(options);
        }
        return this;
    }

    /// <summary>
    /// Allows JSON with unknown or missing members for the types registered without a <see cref="JsonTypeInfo{T}"/>. Default: such JSON is an
    /// <see cref="EventDataException"/>.
    /// </summary>
    /// <returns>This registry.</returns>
    /// <remarks>
    /// By default a member that the class does not have is refused, and so is a missing member that a constructor parameter of the class needs,
    /// unless the parameter is nullable or has a default value: otherwise a renamed member would be read as null or 0. To allow unknown members in
    /// one class only, put <c>[JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Skip)]</c> on it.
    /// </remarks>
    /// <exception cref="InvalidOperationException">A store was already opened with this registry.</exception>
    public EventTypeRegistry AllowUnknownOrMissingMembers()
    {
        lock (gate)
        {
            RefuseWhenFrozen();
            isTolerant = true;
        }
        return this;
    }

    /// <summary>Registers a step that converts JSON of one version to the next; steps are chained up to the registered version.</summary>
    /// <param name="eventType">The event type's name. A CLR type must be registered under it before a store is opened.</param>
    /// <param name="fromVersion">
    /// The version that the step converts, from 1, to the next version. Every step from 1 to the registered version is required.
    /// </param>
    /// <param name="upcast">Receives the JSON, which it may change, and returns the new JSON. It is not called for a JSON null.</param>
    /// <returns>This registry.</returns>
    /// <exception cref="ArgumentException">The name or the version is not allowed.</exception>
    /// <exception cref="InvalidOperationException">The step is already registered, or a store was already opened with this registry.</exception>
    public EventTypeRegistry AddUpcaster(string eventType, int fromVersion, Func<JsonNode, JsonNode> upcast)
    {
        NameRules.CheckEventType(eventType, nameof(eventType));
        ArgumentOutOfRangeException.ThrowIfLessThan(fromVersion, 1);
        ArgumentNullException.ThrowIfNull(upcast);
        lock (gate)
        {
            RefuseWhenFrozen();
            if (!upcasters.TryAdd((eventType, fromVersion), upcast))
            {
                throw new InvalidOperationException($"There are two upcasters for {NameRules.Quote(eventType)} from version {fromVersion}; a step "
                    + "has one upcaster.");
            }
        }
        return this;
    }

    /// <summary>
    /// Marks a member of an event type's JSON as personal, for events that are appended as JSON without a CLR type; it does what
    /// <see cref="PersonalAttribute"/> does.
    /// </summary>
    /// <param name="eventType">The event type's name.</param>
    /// <param name="member">
    /// The member's path, such as <c>email</c>, <c>address.street</c>, <c>contacts[].phone</c> for each element of an array, <c>notes{}</c> for
    /// each member of an object, or <c>["a.b"]</c> for a name with a dot, a bracket or a brace.
    /// </param>
    /// <param name="subjectKey">The key of the tag that names the person.</param>
    /// <param name="subjectMember">
    /// The member of the same JSON object that names the person, a string or a number. Null, the default: the event's tag with that key.
    /// </param>
    /// <returns>This registry.</returns>
    /// <exception cref="ArgumentException">
    /// The name, the path or the key is not allowed, the member is personal already, or the path leads through a name where another one has
    /// <c>{}</c>.
    /// </exception>
    /// <exception cref="InvalidOperationException">A store was already opened with this registry.</exception>
    public EventTypeRegistry AddPersonal(string eventType, string member, string subjectKey, string? subjectMember = null)
    {
        NameRules.CheckEventType(eventType, nameof(eventType));
        NameRules.CheckTagKey(subjectKey, nameof(subjectKey));
        lock (gate)
        {
            RefuseWhenFrozen();
            personal.Add(eventType, member, new PersonalRule(subjectKey, subjectMember, Placeholder: null));
        }
        return this;
    }

    /// <summary>Checks the complete registrations, and refuses changes from now on. Each store calls it when it opens.</summary>
    /// <exception cref="InvalidOperationException">
    /// An upcaster is missing, goes beyond the registered version or belongs to no registered type, a type's JSON metadata is missing, or a member
    /// of a type would not be read back as it is written.
    /// </exception>
    internal void Freeze()
    {
        lock (gate)
        {
            if (frozen)
                return;
            foreach (var type in byName.Values)
                CheckUpcasters(type);
            if (upcasters.Count > 0)
                CheckTypesOfUpcasters();
            if (byName.Count > 0)
                FindJson();
            foreach (var type in byName.Values)
                type.Content = new JsonContent(type.Json!);
            foreach (var type in byName.Values)
                AddToBases(type);
            AddBuiltIn();
            frozen = true;
        }
    }

    /// <summary>Throws unless the CLR types that a query names are registered.</summary>
    /// <exception cref="ArgumentException">A CLR type is not registered.</exception>
    internal void ThrowIfUnknown(Query query, string parameter)
    {
        if (FindUnknown(query) is { } problem)
            throw new ArgumentException(problem, parameter);
    }

    /// <summary>What is wrong with the CLR types that a query names; null when all are registered.</summary>
    internal string? FindUnknown(Query query)
    {
        foreach (var item in query.ItemSpan)
        {
            foreach (var clrType in item.ClrTypes)
            {
                if ((byClrType.ContainsKey(clrType) ? null : ProblemOf(clrType)) is { } problem)
                    return problem;
                if (derived.TryGetValue(clrType, out var types) && types.Find(type => !Names(query, type)) is { } missing)
                {
                    return $"{clrType} stands for its own events only, and {missing.ClrType}, {NameRules.Quote(missing.Name)}, derives from it: its "
                        + "events would be missing. Name both types, or, for the events of one, its name instead of the type.";
                }
            }
        }
        return null;
    }

    internal IEnumerable<RegisteredEventType> All => byName.Values.Where(static type => !type.IsBuiltIn);

    /// <summary>The event types that have personal members, by their classes or by paths.</summary>
    internal IEnumerable<string> PersonalTypes =>
        All.Where(static type => type.Content?.Shape.IsPersonal == true).Select(static type => type.Name).Union(personal.Types);

    /// <summary>Where the personal members of an event type are that were named by their paths; null: none were.</summary>
    internal JsonShape? PathsOf(string eventType) => personal.Find(eventType);

    internal RegisteredEventType? Find(Type clrType) => byClrType.GetValueOrDefault(clrType);

    internal RegisteredEventType? Find(string name) => byName.GetValueOrDefault(name);

    internal Func<JsonNode, JsonNode> Upcaster(string eventType, int fromVersion) => upcasters[(eventType, fromVersion)];

    [RequiresUnreferencedCode(NeedsReflection)]
    [RequiresDynamicCode(NeedsReflection)]
    private EventTypeRegistry AddReflected(Type type, string name, int version)
    {
        // A reader that finds the type finds its options, including a store that opens at this moment.
        reflectionOptions ??= ReflectedJson.Create();
        return Register(type, name, version, null);
    }

    private EventTypeRegistry Register([DynamicallyAccessedMembers(DeclaredTags.Members)] Type type, string name, int version, JsonTypeInfo? json)
    {
        CheckClrType(type);
        NameRules.CheckEventType(name, nameof(name));
        if (version < 1)
            throw new ArgumentOutOfRangeException(nameof(version), version, $"The version of {type} is {version}; versions start at 1.");
        // Code that queries the events of a CLR type without a store, such as a decision projection, uses the attribute.
        var attribute = type.GetCustomAttribute<EventTypeAttribute>(inherit: false);
        RefuseSecondName(type, attribute?.Name ?? name, name);
        if (attribute?.Version > version)
        {
            throw new InvalidOperationException($"{type} is registered with version {version}, but its attribute has version {attribute.Version}. "
                + "Register it without a name and a version.");
        }
        lock (gate)
        {
            if (byClrType.TryGetValue(type, out var known) || byName.TryGetValue(name, out known))
            {
                RefuseContradiction(known, type, name, version, json);
                if (json is not null && known.GivenJson is null)
                {
                    RefuseWhenFrozen();
                    known.GivenJson = json;
                }
                return this;
            }
            RefuseWhenFrozen();
            var registered = new RegisteredEventType(type, name, version, new DeclaredTags(type)) { GivenJson = json };
            byClrType.Add(type, registered);
            byName.Add(name, registered);
        }
        return this;
    }

    private static void CheckClrType(Type type)
    {
        var problem = type switch
        {
            { IsInterface: true } => "an interface",
            { ContainsGenericParameters: true } => "an open generic type",
            { IsAbstract: true } => "abstract",
            _ => null,
        };
        if (problem is not null)
            throw new ArgumentException($"{type} is {problem}; an event type is a class or struct that can be instantiated.", nameof(type));
    }

    private static void RefuseContradiction(RegisteredEventType known, Type type, string name, int version, JsonTypeInfo? json)
    {
        if (known.ClrType != type)
        {
            throw new InvalidOperationException($"The event type {NameRules.Quote(name)} is registered for two CLR types: {known.ClrType} and "
                + $"{type}. Give one of them another name.");
        }

        RefuseSecondName(type, known.Name, name);
        if (known.Version != version)
            throw new InvalidOperationException($"{type}, {NameRules.Quote(name)}, is registered with two versions: {known.Version} and {version}.");
        if (known.GivenJson is not null && json is not null && known.GivenJson != json)
            throw new InvalidOperationException($"{type}, {NameRules.Quote(name)}, is registered with two different JsonTypeInfos.");
    }

    private static void RefuseSecondName(Type type, string name, string second)
    {
        if (name != second)
        {
            throw new InvalidOperationException($"{type} has two event type names: {NameRules.Quote(name)} and {NameRules.Quote(second)}. It can "
                + "have only one.");
        }
    }

    private static EventTypeAttribute AttributeOf(Type type)
    {
        CheckClrType(type);
        return type.GetCustomAttribute<EventTypeAttribute>(inherit: false)
            ?? throw new ArgumentException($"{type} has no [EventType(\"...\")]. Give it one, or pass its name when adding it: "
            + $"Add<{type.Name}>(\"...\").", nameof(type));
    }

    private void AddToBases(RegisteredEventType type)
    {
        for (var each = type.ClrType.BaseType; each is not null && each != typeof(object); each = each.BaseType)
        {
            if (!derived.TryGetValue(each, out var types))
                derived.Add(each, types = []);
            types.Add(type);
        }
    }

    private static bool Names(Query query, RegisteredEventType type)
    {
        foreach (var item in query.ItemSpan)
        {
            if (item.Types.Contains(type.Name))
                return true;
        }
        return false;
    }

    // The type registered under the name may also be derived from the CLR type.
    private string? ProblemOf(Type clrType)
    {
        var name = NameRules.EventTypeOf(clrType, "register it under a name.");
        if (!byName.TryGetValue(name, out var other))
        {
            return $"{clrType}, {NameRules.Quote(name)}, is not registered as an event type of this store: register it before the store is "
                + $"opened, with options.EventTypes.Add<{clrType.Name}>() or options.EventTypes.AddAssembly(...).";
        }

        return other.ClrType.IsAssignableTo(clrType)
            ? null
            : $"{clrType} has the event type name {NameRules.Quote(name)}, but {other.ClrType} is registered under that name with this store. Use "
            + $"that type, or register {clrType} instead.";
    }

    // A user's type of that name counts: another version of the library may have had none.
    private void AddBuiltIn()
    {
        var type = typeof(PersonForgotten);
        if (byName.ContainsKey(PersonForgotten.Name) || byClrType.ContainsKey(type))
            return;
        var builtIn = RegisteredEventType.BuiltIn(type, PersonForgotten.Name, static () => PersonForgottenJson.Default.PersonForgotten);
        byClrType.Add(type, builtIn);
        byName.Add(PersonForgotten.Name, builtIn);
    }

    private void RefuseWhenFrozen()
    {
        if (frozen)
            throw new InvalidOperationException("A store was opened with these event types; register everything before opening a store.");
    }

    private void CheckUpcasters(RegisteredEventType type)
    {
        for (var from = 1; from < type.Version; from++)
        {
            if (!upcasters.ContainsKey((type.Name, from)))
            {
                throw new InvalidOperationException($"The event type {NameRules.Quote(type.Name)} has version {type.Version}, but no upcaster "
                    + $"from version {from}; add one with EventTypes.AddUpcaster(\"{type.Name}\", {from}, ...).");
            }
        }
    }

    private void CheckTypesOfUpcasters()
    {
        foreach (var (eventType, from) in upcasters.Keys)
        {
            if (!byName.TryGetValue(eventType, out var type))
            {
                throw new InvalidOperationException($"There is an upcaster for {NameRules.Quote(eventType)} from version {from}, but no event "
                    + "type with that name is registered. Register its CLR type with EventTypes.Add<T>(), or correct the name.");
            }
            if (from >= type.Version)
            {
                throw new InvalidOperationException($"The event type {NameRules.Quote(eventType)} has version {type.Version}, but there is an "
                    + $"upcaster from version {from}; raise the type's version, or remove the upcaster.");
            }
        }
    }

    private void FindJson()
    {
        var ownOptions = byName.Values.Any(static type => type.GivenJson is null) ? MakeOptions() : null;
        var found = byName.Values.Select(type => (Type: type, Json: type.GivenJson is { } given
            ? WholeObjects.Of(given)
            : FindJson(type, ownOptions!))).ToList();
        var verified = found.ConvertAll(static each =>
            RoundTripCheck.Run(each.Json, $"The event type {NameRules.Quote(each.Type.Name)}, {each.Type.ClrType},"));
        // Only after all are found, so that a refused registry stays unchanged.
        for (var at = 0; at < found.Count; at++)
            (found[at].Type.Json, found[at].Type.IsVerified) = (found[at].Json, verified[at]);
    }

    private JsonSerializerOptions MakeOptions()
    {
        var options = new JsonSerializerOptions(givenOptions ?? reflectionOptions!);
        options.TypeInfoResolver ??= reflectionOptions!.TypeInfoResolver;
        options.TypeInfoResolver = options.TypeInfoResolver!.WithAddedModifier(StructMembers.Complete);
        if (!isTolerant)
            StrictMembers.Apply(options);
        WholeObjects.Apply(options);
        options.MakeReadOnly();
        return options;
    }

    private static JsonTypeInfo FindJson(RegisteredEventType type, JsonSerializerOptions options)
    {
        if (!options.TryGetTypeInfo(type.ClrType, out var json))
        {
            throw new InvalidOperationException($"The JsonSerializerOptions have no metadata for {type.ClrType}; add "
                + $"[JsonSerializable(typeof({type.ClrType.Name}))] to the context.");
        }

        return json;
    }
}

namespace Opossum.Serialization;

/// <summary>The personal members that were registered by their paths, for each event type.</summary>
internal sealed class PersonalPaths
{
    private readonly Dictionary<string, JsonShape> shapes = new(StringComparer.Ordinal);

    /// <summary>The event types that have such members.</summary>
    public IEnumerable<string> Types => shapes.Keys;

    /// <summary>Adds a member by its path.</summary>
    /// <exception cref="ArgumentException">The path is not allowed, or leads to or through a member that is personal already.</exception>
    public void Add(string eventType, string path, PersonalRule rule)
    {
        var steps = MemberPath.Parse(path, nameof(path)).Steps;
        if (!shapes.TryGetValue(eventType, out var shape))
            shape = shapes[eventType] = JsonShape.OnPath();
        for (var at = 0; at < steps.Count - 1; at++)
        {
            RefuseUncovered(shape, steps[at], path, isLast: false);
            shape = Step(shape, steps[at]);
            if (shape.Rule is not null)
                throw Refused(path, "leads through a member that is personal as a whole");
        }
        RefuseUncovered(shape, steps[^1], path, isLast: true);
        var leaf = JsonShape.Of(rule);
        switch (steps[^1])
        {
            case { IsInArray: true } when shape.Elements is null:
                shape.Elements = leaf;
                break;
            case { IsInArray: false, Name: null } when shape.Values is null:
                shape.Values = leaf;
                break;
            case { Name: { } member } when !shape.Members.ContainsKey(member):
                shape.Add(member, leaf);
                break;
            default:
                throw Refused(path, "is registered as personal already, or a member in it is");
        }
    }

    /// <summary>The shape of an event type; null: no member is personal.</summary>
    public JsonShape? Find(string eventType) => shapes.GetValueOrDefault(eventType);

    private static JsonShape Step(JsonShape shape, MemberStep step) => step switch
    {
        { IsInArray: true } => shape.Elements ??= JsonShape.OnPath(),
        { Name: { } member } => shape.Open(member),
        _ => shape.Values ??= JsonShape.OnPath(),
    };

    // What is named for each member of an object is not looked for in a member that has a shape of its own.
    private static void RefuseUncovered(JsonShape shape, MemberStep step, string path, bool isLast)
    {
        var isUncovered = step is { IsInArray: false, Name: null }
            ? shape.Members.Values.Any(static member => member.Rule is null)
            : step.Name is not null && !isLast && shape.Values is not null;
        if (isUncovered)
        {
            throw Refused(path, "and another path have a name and {} at the same place: in the member of that name, what {} leads to would stay in "
                + "plain. Write {} in both");
        }
    }

    private static ArgumentException Refused(string path, string why) => new($"The member path {NameRules.Quote(path)} {why}.", nameof(path));
}

namespace Opossum.Serialization;

/// <summary>The personal members that were registered by their paths, for each event type.</summary>
internal sealed class PersonalPaths
{
    private const string Element = "[]";
    private const string AnyMember = "{}";

    private readonly Dictionary<string, PersonalShape> shapes = new(StringComparer.Ordinal);

    /// <summary>Adds a member by its path.</summary>
    /// <exception cref="ArgumentException">The path is not allowed, or leads to or through a member that is personal already.</exception>
    public void Add(string eventType, string path, PersonalRule rule)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        var steps = StepsOf(path);
        if (!shapes.TryGetValue(eventType, out var shape))
            shape = shapes[eventType] = new PersonalShape();
        for (var at = 0; at < steps.Count - 1; at++)
        {
            shape = Step(shape, steps[at]);
            if (shape.Rule is not null)
                throw Refused(path, "leads through a member that is personal as a whole");
        }
        var leaf = PersonalShape.Of(rule);
        switch (steps[^1])
        {
            case Element when shape.Elements is null:
                shape.Elements = leaf;
                break;
            case AnyMember when shape.Values is null:
                shape.Values = leaf;
                break;
            case var member when member is not Element and not AnyMember && !shape.Members.ContainsKey(member):
                shape.Add(member, leaf);
                break;
            default:
                throw Refused(path, "is registered as personal already, or a member in it is");
        }
    }

    /// <summary>The shape of an event type; null: no member is personal.</summary>
    public PersonalShape? Find(string eventType) => shapes.GetValueOrDefault(eventType);

    /// <summary>The shape of an event type whose class declares personal members too. Of a member that both name, the path counts.</summary>
    public PersonalShape? Join(string eventType, PersonalShape? declared)
    {
        if (Find(eventType) is not { } shape || declared is null)
            return declared ?? Find(eventType);
        shape.Include(declared);
        return shape;
    }

    private static PersonalShape Step(PersonalShape shape, string step) => step switch
    {
        Element => shape.Elements ??= new PersonalShape(),
        AnyMember => shape.Values ??= new PersonalShape(),
        _ => shape.Open(step),
    };

    private static List<string> StepsOf(string path)
    {
        var steps = new List<string>();
        foreach (var part in path.Split('.'))
        {
            var name = part;
            var inner = new Stack<string>();
            while (name.EndsWith(Element, StringComparison.Ordinal) || name.EndsWith(AnyMember, StringComparison.Ordinal))
            {
                inner.Push(name[^2..]);
                name = name[..^2];
            }
            if (name.Length == 0 || name.AsSpan().ContainsAny("[]{}"))
                throw Refused(path, "is not a member's path, such as email, address.street, contacts[].phone or notes{}");
            steps.Add(name);
            steps.AddRange(inner);
        }
        return steps;
    }

    private static ArgumentException Refused(string path, string why) => new($"The member path {NameRules.Quote(path)} {why}.", nameof(path));
}

using System.Text.Json.Nodes;

namespace Opossum.Serialization;

/// <summary>Where the personal members of a type's JSON are: a graph, with a cycle where a class contains itself.</summary>
internal sealed class PersonalShape
{
    private readonly Dictionary<string, PersonalShape> members = new(StringComparer.Ordinal);
    private HashSet<string>? subjectMembers;

    /// <summary>The rule of the value itself; null: it is not personal as a whole.</summary>
    public PersonalRule? Rule { get; private set; }

    /// <summary>The elements of an array; null: they contain nothing personal.</summary>
    public PersonalShape? Elements { get; set; }

    /// <summary>The members of an object that are not known by name, as in a dictionary; null: they contain nothing personal.</summary>
    public PersonalShape? Values { get; set; }

    /// <summary>The members known by name.</summary>
    public IReadOnlyDictionary<string, PersonalShape> Members => members;

    /// <summary>Whether placeholders are declared in the graph.</summary>
    public bool HasPlaceholders => All().Any(static each => each.Rule?.Placeholder is not null);

    /// <summary>A shape that is personal as a whole.</summary>
    public static PersonalShape Of(PersonalRule rule) => new() { Rule = rule };

    /// <summary>The shape of a member; null: it contains nothing personal.</summary>
    public PersonalShape? Find(string member) => members.GetValueOrDefault(member) ?? Values;

    /// <summary>Whether a member names the subject of another one.</summary>
    public bool NamesSubject(string member) => subjectMembers?.Contains(member) == true;

    /// <summary>Adds a member. What is known of a member of that name is kept: the types of one hierarchy share the JSON.</summary>
    public void Add(string member, PersonalShape shape)
    {
        if (members.TryGetValue(member, out var known) && known.Rule is not null)
            return;
        members[member] = shape;
        if (shape.Rule?.SubjectMember is { } subject)
            (subjectMembers ??= new(StringComparer.Ordinal)).Add(subject);
    }

    /// <summary>The shape of a member, added if it is missing.</summary>
    public PersonalShape Open(string member)
    {
        if (!members.TryGetValue(member, out var shape))
            Add(member, shape = new PersonalShape());
        return shape;
    }

    /// <summary>Adds the members of a derived type.</summary>
    public void Include(PersonalShape derived)
    {
        foreach (var (member, shape) in derived.members)
            Add(member, shape);
    }

    /// <summary>Puts the placeholders in the place of personal members that are null.</summary>
    public JsonNode? WithPlaceholders(JsonNode? json)
    {
        if (Rule is not null)
            return json ?? Rule.Placeholder?.DeepClone();
        if (json is JsonObject members)
        {
            foreach (var (name, value) in members.ToList())
            {
                if (Find(name) is { } member && member.WithPlaceholders(value) is var now && now != value)
                    members[name] = now;
            }
        }
        else if (json is JsonArray array && Elements is not null)
        {
            for (var at = 0; at < array.Count; at++)
            {
                if (Elements.WithPlaceholders(array[at]) is var now && now != array[at])
                    array[at] = now;
            }
        }
        return json;
    }

    /// <summary>Removes everything that leads to no personal member; false when nothing is left.</summary>
    public bool TryPrune()
    {
        var all = All();
        var useful = all.Where(static each => each.Rule is not null).ToHashSet();
        for (var known = -1; known != useful.Count;)
        {
            known = useful.Count;
            useful.UnionWith(all.Where(each => each.Next().Any(useful.Contains)));
        }
        foreach (var shape in all)
        {
            shape.Elements = shape.Elements is { } elements && useful.Contains(elements) ? elements : null;
            shape.Values = shape.Values is { } values && useful.Contains(values) ? values : null;
            foreach (var member in shape.members.Where(each => !useful.Contains(each.Value)).Select(static each => each.Key).ToList())
                shape.members.Remove(member);
        }
        return useful.Contains(this);
    }

    private HashSet<PersonalShape> All()
    {
        var all = new HashSet<PersonalShape> { this };
        var open = new Stack<PersonalShape>(all);
        while (open.TryPop(out var shape))
        {
            foreach (var next in shape.Next().Where(all.Add))
                open.Push(next);
        }
        return all;
    }

    private IEnumerable<PersonalShape> Next()
    {
        IEnumerable<PersonalShape> next = members.Values;
        if (Elements is not null)
            next = next.Append(Elements);
        return Values is null ? next : next.Append(Values);
    }
}

using System.Globalization;
using FsCheck;
using FsCheck.Fluent;

namespace Opossum.Tests.Properties;

/// <summary>Random events, queries and texts. A failing property prints the seed it can be repeated with.</summary>
internal static class Generators
{
    private static readonly string[] types = ["a", "b", "A", "grüße 😀", "quoted \"\\\n\u2028\0"];
    private static readonly Tag[] tags = [new("k", "1"), new("k", "2"), new("K", "1"), new("m", "😀:\"\n\u2028\0"), new("m", ""), new("m"), new("n", "1"), new("\"\n"),
        new("rule", "1")];

    public static Gen<string> Type { get; } = Gen.Elements(types);

    public static Gen<Tag[]> Tags { get; } = Gen.Choose(0, 4).SelectMany(count => Gen.ArrayOf(Gen.Elements(tags), count));

    public static Gen<NewEvent> Event { get; } =
        from type in Type
        from tags in Tags
        from number in Gen.Choose(0, 999)
        select NewEvent.FromJson(type, $"{{\"number\":{number},\"three\":{number % 3},\"ü😀\":[\"\\u0000\"]}}", tags);

    /// <summary>Rules for such events; some of their tags events have themselves.</summary>
    public static Gen<TagRule> Rule { get; } =
        from type in Type
        from rule in Gen.Elements(("three", "rule"), ("three", "k"), ("number", "rule"), ("ü😀[]", "m"))
        select new TagRule(type, rule.Item1, rule.Item2);

    public static Gen<NewEvent[]> Append { get; } = Gen.Choose(1, 4).SelectMany(count => Gen.ArrayOf(Event, count));

    public static Gen<Query> Query { get; } = Gen.Frequency(
        (1, Gen.Constant(Opossum.Query.All)),
        (6, Gen.Choose(1, 3).SelectMany(count => Gen.ArrayOf(Item(), count)).Select(items => Opossum.Query.FromItems(items))));

    public static Gen<ReadOptions> Read { get; } =
        from after in Gen.Choose(0, 60)
        from upTo in OrNull(Gen.Choose(0, 60))
        from limit in OrNull(Gen.Frequency((3, Gen.Choose(0, 5)), (1, Gen.Choose(6, 200))))
        from backwards in Gen.Elements(true, false)
        select new ReadOptions { After = after, UpTo = upTo, Limit = limit, Backwards = backwards };

    /// <summary>Text from characters that are awkward in JSON, in UTF-8, in files or in an index; some of it long.</summary>
    public static Gen<string> Hostile { get; } = Gen.Frequency(
        (9, Gen.Choose(0,
            12).SelectMany(count =>
                Gen.ArrayOf(Gen.Elements("a", " ", ":", "\"", "\\", "/", "\n", "\r", "\t", "\0", "\u001F", "\u007F", "\u0085", "\u2028", "\u2029",
                    "\uFEFF", "\uFFFD", "\uFFFF", "ä", "中", "😀", "👩‍👩‍👧", "{", "}", "[", ",", "\\u0041", "\u202E"), count)).Select(string.Concat)),
        (1, Gen.Choose(900, 990).Select(length => new string('中', length))));

    public static Gen<long?> OrNull(Gen<int> numbers) => Gen.Frequency((1, Gen.Constant<long?>(null)), (4, numbers.Select(number => (long?)number)));

    // Of as many tests as a run of 8 seconds for each suite has: a usual one has an eighth.
    private static readonly double share =
        double.TryParse(Environment.GetEnvironmentVariable("OPOSSUM_TEST_SECONDS"), CultureInfo.InvariantCulture, out var seconds) ? seconds / 8 : 0.125;

    private const int TestsMin = 5;

    public static void Check<T>(int tests, Gen<T> generator, Action<T> property) => Check(tests, Arb.From(generator), property);

    public static void Check<T>(int tests, Arbitrary<T> arbitrary, Action<T> property)
    {
        var config = Config.QuickThrowOnFailure.WithMaxTest(Math.Max(TestsMin, (int)(tests * share))).WithQuietOnSuccess(true);
        FsCheck.Check.One(config, Prop.ForAll(arbitrary, property));
    }

    private static Gen<QueryItem> Item() =>
        from eventTypes in Gen.Choose(0, 2).SelectMany(count => Gen.ArrayOf(Gen.Frequency((8, Type), (1, Gen.Constant("unknown"))), count))
        from itemTags in Gen.Choose(eventTypes.Length == 0
            ? 1
            : 0, 3).SelectMany(count => Gen.ArrayOf(Gen.Frequency((12, Gen.Elements(tags)), (1, Gen.Constant(new Tag("un", "known")))), count))
        select new QueryItem { Types = eventTypes, Tags = itemTags };
}

using FsCheck;
using FsCheck.Fluent;
using Opossum.Serialization;
using Opossum.Tests.Properties;

namespace Opossum.Tests.Projections;

public sealed class KeyFileNameTests
{
    private const int LengthMax = 200;

    private static readonly Gen<string> awkward = Gen.Frequency(
        (4, Generators.Hostile),
        (4, Gen.Choose(1,
            6).SelectMany(count =>
                Gen.ArrayOf(Gen.Elements("a", "A", "ä", "Ä", "i", "I", "ı", "İ", "ß", "k", "K", "%", "%41", "%61", "~", ".", "..", " ", "-", "_",
                    "con", "CON", "nul", "com1", "LPT9", "/", "\\", ":", "*", "?", "é", "é"), count)).Select(string.Concat)),
        (1, from length in Gen.Choose(95, 105)
            from letter in Gen.Elements('a', 'A', 'b', '~')
            from last in Gen.Elements("", "x",
            "X")
            select new string(letter, length) + last)).Where(key => key.Length > 0);

    [Fact]
    public void Different_keys_never_share_a_name_and_every_name_is_allowed_everywhere()
    {
        var names = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        Generators.Check(10_000, awkward, key =>
        {
            var name = KeyFileName.Of(key);
            Assert.True(names.TryAdd(name, key) || names[name] == key, $"\"{key}\" and \"{names.GetValueOrDefault(name)}\" are both {name}");
            AssertAllowed(name);
        });
        Assert.True(names.Count > 1_000);
    }

    [Theory]
    [InlineData("c1", "c1")]
    [InlineData("order_2026-11-21", "order_2026-11-21")]
    [InlineData("C1", "%431")]
    [InlineData("a/b", "a%2fb")]
    [InlineData("..", "%2e%2e")]
    [InlineData("ä", "%c3%a4")]
    [InlineData("con", "%63on")]
    [InlineData("com1", "%63om1")]
    [InlineData("com10", "com10")]
    public void Name_of_a_key_never_changes(string key, string name) => Assert.Equal(name, KeyFileName.Of(key));

    [Fact]
    public void Long_keys_are_told_apart_by_a_hash()
    {
        var name = KeyFileName.Of(new string('a', 101));
        Assert.StartsWith(new string('a', 32) + "~", name, StringComparison.Ordinal);
        Assert.Equal(32 + 1 + 64, name.Length);
        Assert.NotEqual(name, KeyFileName.Of(new string('a', 102)));
        Assert.Equal(new string('a', 100), KeyFileName.Of(new string('a', 100)));
    }

    [Fact]
    public void Every_beginning_of_a_key_finds_its_name()
    {
        Generators.Check(5_000, awkward, key =>
        {
            var name = KeyFileName.Of(key);
            for (var length = 0; length <= key.Length; length++)
            {
                if (length == 0 || !char.IsHighSurrogate(key[length - 1]))
                    Assert.True(KeyFileName.MayStartWith(name, KeyFileName.StartOf(key[..length])), $"\"{key[..length]}\" does not find {name}");
            }
        });
    }

    [Theory]
    [InlineData("c1", "c2")]
    [InlineData("c1", "c10")]
    [InlineData("con", "can")]
    [InlineData("con", "%")]
    [InlineData("Con", "con")]
    public void Another_beginning_does_not_find_it(string key, string start) =>
        Assert.False(KeyFileName.MayStartWith(KeyFileName.Of(key), KeyFileName.StartOf(start)));

    private static void AssertAllowed(string name)
    {
        Assert.InRange(name.Length, 1, LengthMax);
        Assert.All(name, each => Assert.True(each is (>= 'a' and <= 'z') or (>= '0' and <= '9') or '-' or '_' or '%' or '~', name));
        Assert.DoesNotContain(name, (string[])["con", "prn", "aux", "nul", "com1", "com9", "com0", "lpt1", "lpt9", "lpt0"]);
    }
}

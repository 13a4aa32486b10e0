using Opossum.Serialization;
using Opossum.Storage.Commit;

namespace Opossum.Tests.Contract;

/// <summary>What is written from one buffer fits into it, or the append is refused.</summary>
public sealed class AppendSizeTests
{
    [Fact]
    public void Data_that_is_indented_to_many_times_its_length_is_refused_and_half_of_it_is_not()
    {
        var deep = Of($"{new string('[', 63)}{string.Join(',', Enumerable.Repeat('0', 30_000))}{new string(']', 63)}");

        var error = Assert.Throws<ArgumentException>(() => AppendSize.ThrowIfTooLarge([.. Enumerable.Repeat(deep, 600)]));

        Assert.StartsWith("The append takes up to ", error.Message, StringComparison.Ordinal);
        Assert.Contains("bytes in its event files, where JSON is indented; at most 1342177280 are allowed in one. Append the events in several",
            error.Message, StringComparison.Ordinal);
        AppendSize.ThrowIfTooLarge([.. Enumerable.Repeat(deep, 300)]);
    }

    [Fact]
    public void Tags_count_with_each_event_that_has_them()
    {
        var tagged = Of("{}", [.. Enumerable.Range(0, 100).Select(static number => Tag.Parse($"k{number}:{new string('t', 9_990)}"))]);

        Assert.Throws<ArgumentException>(() => AppendSize.ThrowIfTooLarge([.. Enumerable.Repeat(tagged, 2_000)]));
        AppendSize.ThrowIfTooLarge([.. Enumerable.Repeat(tagged, 200)]);
    }

    [Fact]
    public void Flat_data_may_be_as_long_as_an_append_may_be()
    {
        var flat = Of($"[{string.Join(',', Enumerable.Repeat('0', 500_000))}]");

        AppendSize.ThrowIfTooLarge([.. Enumerable.Repeat(flat, 260)]);
        var error = Assert.Throws<ArgumentException>(() => AppendSize.ThrowIfTooLarge([.. Enumerable.Repeat(flat, 270)]));

        Assert.Contains("bytes of JSON; at most 268435456 are allowed in one", error.Message, StringComparison.Ordinal);
    }

    // A control character takes one byte in the index and six in a line.
    [Fact]
    public void An_event_whose_line_would_be_longer_than_readers_accept_is_refused()
    {
        var tags = Enumerable.Range(0, 90_000).Select(static number => new Tag($"k{number}", new string('\u0001', 1_000)));

        var error = Assert.Throws<ArgumentException>(() => AppendSize.ThrowIfTooLarge([Of("{}", [.. tags])]));

        Assert.Contains("in its line; at most 536870912 are allowed", error.Message, StringComparison.Ordinal);
    }

    private static PreparedEvent Of(string json, params Tag[] tags) => new("t", 1, tags, Guid.Empty, System.Text.Encoding.UTF8.GetBytes(json), []);
}

using System.Globalization;
using System.Text;
using Opossum.Storage.Log;

namespace Opossum.Tests.Index;

public sealed class StringCacheTests
{
    [Fact]
    public void Names_that_differ_in_their_last_character_are_kept_side_by_side()
    {
        var names = Enumerable.Range(0, 5).Select(static each => Encoding.UTF8.GetBytes($"part-moved-{each.ToString(CultureInfo.InvariantCulture)}")).ToArray();
        var cache = new StringCache(256);
        var first = Array.ConvertAll(names, name => cache.Get(name));

        var second = Array.ConvertAll(names, name => cache.Get(name));

        Assert.All(second.Zip(first), static each => Assert.Same(each.Second, each.First));
    }
}

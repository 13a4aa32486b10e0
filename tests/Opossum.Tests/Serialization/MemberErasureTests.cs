using System.Text;
using Opossum.Serialization;

namespace Opossum.Tests.Serialization;

/// <summary>Members of JSON, named by paths, are replaced by null; everything else stays as it is, to the byte.</summary>
public sealed class MemberErasureTests
{
    [Theory]
    [InlineData("email", """{"email":"e","x":1.50}""", """{"email":null,"x":1.50}""")]
    [InlineData("address.street", """{"address":{"street":{"a":[1]},"city":"c"},"street":"s"}""",
        """{"address":{"street":null,"city":"c"},"street":"s"}""")]
    [InlineData("address", """{"address":{"street":"s"}}""", """{"address":null}""")]
    [InlineData("contacts[].phone", """{"contacts":[{"phone":1},{},{"phone":[2]},7,null]}""",
        """{"contacts":[{"phone":null},{},{"phone":null},7,null]}""")]
    [InlineData("lines[][].a", """{"lines":[[{"a":"x"}],[],[{"a":"y","b":1}]]}""", """{"lines":[[{"a":null}],[],[{"a":null,"b":1}]]}""")]
    [InlineData("phones[]", """{"phones":["1",2,null,[3]]}""", """{"phones":[null,null,null,null]}""")]
    [InlineData("[].a", """[{"a":1},{"b":2}]""", """[{"a":null},{"b":2}]""")]
    [InlineData("""["a.b"].c""", """{"a.b":{"c":"x"},"a":{"b":{"c":"y"}}}""", """{"a.b":{"c":null},"a":{"b":{"c":"y"}}}""")]
    [InlineData("""a["b]\"."]""", """{"a":{"b]\".":true}}""", """{"a":{"b]\".":null}}""")]
    [InlineData("notes{}", """{"notes":{"a":1,"b":[2]},"x":{"a":1}}""", """{"notes":{"a":null,"b":null},"x":{"a":1}}""")]
    [InlineData("{}[].a", """{"x":[{"a":1}],"y":[{"a":2,"b":3}],"z":7}""", """{"x":[{"a":null}],"y":[{"a":null,"b":3}],"z":7}""")]
    [InlineData("größe", """{"größe":"ä\u0001","gr":1}""", """{"größe":null,"gr":1}""")]
    public void What_a_path_leads_to_is_null(string path, string json, string erased)
    {
        var erasure = new MemberErasure([MemberPath.Parse(path, "members")]);
        Assert.Equal(erased, Encoding.UTF8.GetString(erasure.Erase(Encoding.UTF8.GetBytes(json))!));
        Assert.Empty(erasure.NotFound);
        Assert.Null(erasure.Erase(Encoding.UTF8.GetBytes(erased)));
    }

    [Theory]
    [InlineData("email", """{"Email":"e","a":{"email":"x"}}""")]
    [InlineData("a.b", """{"a":[{"b":1}],"a.b":2}""")]
    [InlineData("a[]", """{"a":{"b":1}}""")]
    [InlineData("a", "\"a\"")]
    [InlineData("a{}", """{"a":{"$sealed":"customer:c1 AA=="}}""")]
    [InlineData("a[].$sealed", """{"a":[{"$sealed":"customer:c1 AA=="}]}""")]
    public void A_path_that_leads_nowhere_is_named(string path, string json)
    {
        var erasure = new MemberErasure([MemberPath.Parse(path, "members")]);
        Assert.Null(erasure.Erase(Encoding.UTF8.GetBytes(json)));
        Assert.Equal(path, Assert.Single(erasure.NotFound).ToString());
    }

    [Fact]
    public void Several_paths_are_taken_together()
    {
        var erasure = new MemberErasure([.. ((string[])["a", "a.b", "c.d", "c.e", "f.a"]).Select(static path => MemberPath.Parse(path, "members"))]);
        Assert.Equal("""{"a":null,"c":{"d":null,"e":null,"f":1}}"""u8, erasure.Erase("""{"a":{"b":1},"c":{"d":1,"e":2,"f":1}}"""u8)!);
        Assert.Equal("f.a", Assert.Single(erasure.NotFound).ToString());
    }

    [Theory]
    [InlineData("")]
    [InlineData(".a")]
    [InlineData("a.")]
    [InlineData("a..b")]
    [InlineData("a[b]")]
    [InlineData("a[")]
    [InlineData("a[]b")]
    [InlineData("""a["b""")]
    [InlineData("a[1]")]
    [InlineData("a{b}")]
    [InlineData("a]")]
    [InlineData("{}b")]
    public void What_is_no_path_is_refused(string path) => Assert.Throws<ArgumentException>(() => MemberPath.Parse(path, "members"));

    [Theory]
    [InlineData("email", "email")]
    [InlineData("it's", "it's")]
    [InlineData("a.b", """["a.b"]""")]
    [InlineData("b]\".", """["b]\"."]""")]
    [InlineData("notes{}", """["notes{}"]""")]
    [InlineData("", """[""]""")]
    public void The_path_that_is_written_of_a_member_leads_to_it_alone(string name, string path)
    {
        Assert.Equal(path, MemberPath.Member("", name));
        Assert.Equal(MemberStep.Member(name), Assert.Single(MemberPath.Parse(path, "members").Steps));
        Assert.Equal(["a", name], MemberPath.Parse(MemberPath.Member("a", name), "members").Steps.Select(static step => step.Name));
    }

    [Fact]
    public void Text_that_is_not_Unicode_is_no_path() => Assert.Throws<ArgumentException>(static () => MemberPath.Parse("a\ud800", "members"));
}

using System.Text;
using System.Text.Json;
using Opossum.Cli;

namespace Opossum.CliTests;

public sealed class FindPersonTests : PersonalTest
{
    [Fact]
    public async Task What_is_encrypted_is_not_found_but_the_person_is()
    {
        var text = await Shell.RunAsync("find-person", Store, Secret);
        var person = await Shell.RunAsync("find-person", Store, "customer:c1", "--json");

        text.Succeeded();
        Assert.StartsWith("Not found in ", text.Out, StringComparison.Ordinal);
        Assert.Equal(ExitCode.Negative, person.ExitCode);
        Assert.Equal("customer:c1", person.Json.GetProperty("person").GetProperty("subject").GetString());
        Assert.Equal("Key", person.Json.GetProperty("person").GetProperty("state").GetString());
        var hits = person.Json.GetProperty("hits").EnumerateArray().ToList();
        var inEvent = hits.Where(hit => hit.GetProperty("place").GetString() == "EventFile").ToList();
        Assert.Equal(["tags[0]", "data.email.$sealed"], inEvent.Select(hit => hit.GetProperty("member").GetString()));
        Assert.All(inEvent, hit => Assert.Equal((1, "customer-registered"),
            (hit.GetProperty("position").GetInt64(), hit.GetProperty("eventType").GetString())));
        Assert.Contains(hits, hit => hit.GetProperty("place").GetString() == "Line" && hit.GetProperty("position").GetInt64() == 1);
        Assert.Contains(hits, hit => hit.GetProperty("place").GetString() == "Index");
        Assert.Contains(hits, hit => hit.GetProperty("place").GetString() == "Keys" && hit.GetProperty("member").GetString() == "subject");
    }

    [Fact]
    public async Task What_the_store_has_encoded_is_no_text_in_plain()
    {
        await using (var store = await OpenAsync(Store))
            await store.AppendAsync(NewEvent.FromJson("signed", "{}", Tag.Pseudonym("email", Secret)));
        string[] found = ["no such text"];
        foreach (var encoded in EncodedTexts())
        {
            var result = await Shell.RunAsync("find-person", Store, encoded, "--json");
            if (result.ExitCode != ExitCode.Ok)
                found = [.. found, $"{encoded}: {result.Json.GetProperty("hits")}"];
        }
        Assert.Equal(["no such text"], found);

        await File.WriteAllTextAsync(Path.Combine(Store, "other.json"), """{"id":"Bob","key":"Bob","$sealed":"to Bobs"}""");
        var other = await Shell.RunAsync("find-person", Store, "Bob", "--json");

        Assert.Equal(["id", "key", "$sealed"], other.Json.GetProperty("hits").EnumerateArray().Select(hit => hit.GetProperty("member").GetString()));
    }

    [Fact]
    public async Task A_tag_is_no_part_of_another_tag()
    {
        await using (var store = await OpenAsync(Store))
        {
            foreach (var id in new[] { "c10", "c1-b", "c1 b" })
                await store.AppendAsync(Registered(id, $"{id.Length}@example.org"));
            await store.AppendAsync(NewEvent.FromJson("ordered", "{}", new Tag("vip-customer", "c1")));
        }
        await File.WriteAllTextAsync(Path.Combine(Store, "notes.txt"), "customer:c10, not customer:c1.");

        var found = (await Shell.RunAsync("find-person", Store, "customer:c1", "--json")).Json.GetProperty("hits").EnumerateArray().ToList();

        string[] places = ["EventFile 1 tags[0]", "EventFile 1 data.email.$sealed", "Line 1 tags[0]", "Line 1 data.email.$sealed", "Index", "Keys", "Keys subject",
            "Other"];
        Assert.Equal(places.Order(StringComparer.Ordinal), found.Select(static hit =>
            $"{hit.GetProperty("place")} {hit.GetProperty("position")} {hit.GetProperty("member")}".Replace("  ", " ", StringComparison.Ordinal).Trim())
            .Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Text_may_begin_with_an_at_sign()
    {
        File.WriteAllText(Path.Combine(Store, "notes.txt"), "call ann@example.org");

        var result = await Shell.RunAsync("find-person", Store, "@example.org", "--json");

        Assert.Equal(ExitCode.Negative, result.ExitCode);
        Assert.Equal(1, result.Json.GetProperty("hits").GetArrayLength());
    }

    [Fact]
    public async Task Every_file_is_searched_in_every_form()
    {
        const string Name = "Zoë \"Zed\" <Öz>";
        File.WriteAllText(Path.Combine(Store, "notes.txt"), $"call {Name}");
        File.WriteAllText(Path.Combine(Store, "utf16.csv"), Name, Encoding.Unicode);
        File.WriteAllText(Path.Combine(Store, "big.csv"), Name, Encoding.BigEndianUnicode);
        File.WriteAllText(Path.Combine(Store, "Events", "escaped.json"), """{"a":[{"b":"Zo\u00eb \"Zed\" <\u00d6z>"}]}""");
        File.WriteAllText(Path.Combine(Store, "Index", "web.json"), """{"b":"Zo\u00EB \u0022Zed\u0022 \u003C\u00D6z\u003E"}""");
        File.WriteAllText(Path.Combine(Store, "apart.txt"), Name.Normalize(NormalizationForm.FormD));
        File.WriteAllText(Path.Combine(Store, "other.txt"), "Zoe");

        var result = await Shell.RunAsync("find-person", Store, Name, "--json");

        Assert.Equal(["Index/web.json", "Events/escaped.json", "apart.txt", "big.csv", "notes.txt", "utf16.csv"],
            result.Json.GetProperty("hits").EnumerateArray()
                .Select(hit => Path.GetRelativePath(Store, hit.GetProperty("path").GetString()!).Replace('\\', '/'))
                .OrderByDescending(path => path.Contains('/', StringComparison.Ordinal)).ThenByDescending(path => path.StartsWith('I'))
                .ThenBy(path => path, StringComparer.Ordinal));
        Assert.Contains(result.Json.GetProperty("hits").EnumerateArray(), hit => hit.GetProperty("member").GetString() == "a[0].b");
    }

    [Fact]
    public async Task States_quarantine_and_names_of_files_are_named()
    {
        var state = Path.Combine(Store, "Projections", "customers", "live.0000000101", "states", "3f");
        Directory.CreateDirectory(state);
        Directory.CreateDirectory(Path.Combine(Store, "Quarantine", "20261121T124944.285Z"));
        await File.WriteAllTextAsync(Path.Combine(state, "ann%20archer.json"), """{"key":"ann archer","state":{"name":"ann archer"}}""");
        await File.WriteAllTextAsync(Path.Combine(Store, "Quarantine", "20261121T124944.285Z", "0000000007.json"),
            """{"position":7,"type":"customer-registered","data":{"name":"ann archer"}}""");

        var result = await Shell.RunAsync("find-person", Store, "ann archer");

        Assert.Equal(ExitCode.Negative, result.ExitCode);
        Assert.Contains("projection customers, file name", result.Out, StringComparison.Ordinal);
        Assert.Contains("projection customers, state ann archer, state.name", result.Out, StringComparison.Ordinal);
        Assert.Contains("set aside: event 7 customer-registered, data.name", result.Out, StringComparison.Ordinal);
        Assert.StartsWith("Found in 4 places of ", result.Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(30)]
    [InlineData(31)]
    public async Task A_text_across_two_blocks_is_found_once(int before)
    {
        var bytes = new byte[(3 * 1024 * 1024) + 7];
        foreach (var block in new[] { 1, 2, 3 })
            Encoding.UTF8.GetBytes(Secret).CopyTo(bytes, (block * 1024 * 1024) - before - (block == 3 ? 10 : 0));
        await File.WriteAllBytesAsync(Path.Combine(Store, "long.bin"), bytes);

        var result = await Shell.RunAsync("find-person", Store, Secret, "--json");

        Assert.Equal(3, result.Json.GetProperty("total").GetInt64());
    }

    [Fact]
    public async Task All_are_counted_and_the_first_thousand_listed()
    {
        await File.WriteAllTextAsync(Path.Combine(Store, "many.txt"), string.Concat(Enumerable.Repeat($"{Secret}\n", 1_500)));
        await File.WriteAllTextAsync(Path.Combine(Store, "more.txt"), Secret);

        var result = await Shell.RunAsync("find-person", Store, Secret, "--json");

        Assert.Equal((1_501, 1_000), (result.Json.GetProperty("total").GetInt64(), result.Json.GetProperty("hits").GetArrayLength()));
    }

    [Fact]
    public async Task Keys_elsewhere_are_searched_and_what_cannot_be_read_is_no_clean_answer()
    {
        Directory.CreateDirectory(Shell.PathOf("keys"));
        await File.WriteAllTextAsync(Path.Combine(Shell.PathOf("keys"), "old.txt"), Secret);
        var outside = await Shell.RunAsync("find-person", Store, Secret, "--keys", Shell.PathOf("keys"));
        Directory.CreateSymbolicLink(Path.Combine(Store, "link"), Shell.PathOf("keys"));

        var linked = await Shell.RunAsync("find-person", Store, Secret);

        Assert.Contains("keys, byte 0", outside.Out, StringComparison.Ordinal);
        Assert.Equal(ExitCode.Failed, linked.ExitCode);
        Assert.Contains("It is a link, which is not followed.", linked.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_forgotten_person_leaves_the_mark_and_no_text()
    {
        (await Shell.RunAsync("forget", Store, "customer:c1", "--reason", "asked", "--yes")).Succeeded();

        (await Shell.RunAsync("find-person", Store, Secret)).Succeeded();
        var person = await Shell.RunAsync("find-person", Store, "customer:c1");

        Assert.Contains("customer:c1 was forgotten on ", person.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Where_the_keys_are_missing_nothing_is_said_of_the_person()
    {
        Directory.Move(Path.Combine(Store, "Keys"), Shell.PathOf("away"));

        var missing = await Shell.RunAsync("find-person", Store, "customer:c2");
        var named = await Shell.RunAsync("find-person", Store, "customer:c2", "--keys", Shell.PathOf("away"));

        Assert.DoesNotContain("was not forgotten", missing.Out, StringComparison.Ordinal);
        Assert.Contains("are missing", missing.Lines[1], StringComparison.Ordinal);
        Assert.Contains("--keys FOLDER", missing.Lines[1], StringComparison.Ordinal);
        Assert.Equal("customer:c2 has a key: encrypted personal data of this person can be read.", named.Lines[1]);
    }

    // Encrypted values, a key, checksums, ids and a pseudonym: some of their characters.
    private IEnumerable<string> EncodedTexts()
    {
        var first = JsonElement.Parse(File.ReadAllText(Path.Combine(Store, "Events", "0000000000", "0000000001.json")));
        var last = JsonElement.Parse(File.ReadAllText(Path.Combine(Store, "Events", "0000000000", "0000000003.json")));
        var key = JsonElement.Parse(File.ReadAllText(AnnsFile()));
        yield return first.GetProperty("data").GetProperty("email").GetProperty("$sealed").GetString()!["customer:c1 ".Length..][20..30];
        yield return first.GetProperty("id").GetString()![^12..];
        yield return first.GetProperty("checksum").GetString()![^8..];
        yield return last.GetProperty("tags")[0].GetString()![^20..^5];
        yield return key.GetProperty("key").GetString()![10..20];
        yield return key.GetProperty("id").GetString()![..8];
    }
}

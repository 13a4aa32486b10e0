using System.Text.RegularExpressions;
using Opossum.Testing;
using Opossum.Tests.Architecture;

namespace Opossum.Tests.Contract;

/// <summary>
/// docs/conformance.md has the rules, and what the stores did in each version. With the environment variable
/// UPDATE_CONFORMANCE the tables are written, after every rule was checked on every store; else they are compared with the rules that there are,
/// which the contract's tests check in the same run. The rows of stores that only .ci/run reaches are its own: it compares them, or writes them.
/// </summary>
public sealed partial class ConformancePageTests
{
    private static readonly string file = Path.Combine(SourceTree.Root, "docs", "conformance.md");

    private static readonly List<(string Name, Func<ConformanceRule, Task<bool>> CheckAsync)> stores = [
        .. typeof(EventStoreContract).Assembly.GetTypes().Where(static type => type.IsSubclassOf(typeof(EventStoreContract)))
            .Select(static type => (NameOf(type), Check(type))).Append(("in memory", CheckInMemoryAsync))
            .OrderBy(static store => store.Item1, StringComparer.Ordinal)];

    private static readonly string version = typeof(IEventStore).Assembly.GetName().Version!.ToString(3);

    [Fact]
    public async Task The_page_has_the_rules_and_their_results()
    {
        var page = (await File.ReadAllTextAsync(file)).ReplaceLineEndings("\n");
        var isUpdate = Environment.GetEnvironmentVariable("UPDATE_CONFORMANCE") is not null;
        var made = Part("rules").Replace(page, $"<!-- rules -->\n{Rules()}<!-- end -->");
        made = Part("results").Replace(made,
            $"<!-- results -->\n{await ResultsAsync(Part("results").Match(page).Groups[1].Value, isUpdate)}<!-- end -->");

        if (isUpdate)
            await File.WriteAllTextAsync(file, made);
        else
            Assert.Equal(made, page);
    }

    [Fact]
    public async Task Each_rule_that_the_page_names_beside_a_foreign_one_is_one_of_ours()
    {
        var page = (await File.ReadAllTextAsync(file)).ReplaceLineEndings("\n")
            .Replace("\n  ", " ", StringComparison.Ordinal);
        var named = page[page.IndexOf("## Other suites", StringComparison.Ordinal)..].Split('\n')
            .Where(static line => line.StartsWith("- `", StringComparison.Ordinal))
            .Select(static line => line.Split(": ", 2)[1].Split(';')[0])
            .SelectMany(static ours => Name().Matches(ours)).Select(static match => match.Groups[1].Value).ToList();

        Assert.NotEmpty(named);
        Assert.Equal([], named.Except(EventStoreConformance.Rules.Select(static rule => rule.Id)));
    }

    private static string Rules() => string.Concat(
        EventStoreConformance.Rules.Select(static rule => $"- `{rule.Id}`: {rule.What} ({rule.Source})\n"));

    // A column a version, the newest first; those of earlier versions stay.
    private static async Task<string> ResultsAsync(string before, bool isUpdate)
    {
        var lines = before.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line =>
            line.Split('|', StringSplitOptions.TrimEntries)[1..^1]).ToList();
        var table = lines.ToDictionary(static cells => cells[0], static cells => cells[1..]);
        var versions = table.GetValueOrDefault("Store", []);
        var text = $"| Store | {string.Join(" | ", versions.Prepend(version).Distinct())} |\n|---|{string.Concat(versions.Prepend(version).Distinct().Select(static _ => "---|"))}\n";
        foreach (var name in stores.Select(static store => store.Name).Concat(table.Keys.Where(static name => Elsewhere().IsMatch(name))))
        {
            var old = table.GetValueOrDefault(name, []);
            var at = Array.IndexOf(versions, version);
            var check = stores.Find(store => store.Name == name).CheckAsync;
            var now = isUpdate && check is not null ? await ResultAsync(check)
                : at >= 0 && at < old.Length ? Checked(old[at], check is null) : "not run";
            text += $"| {name} | {string.Join(" | ", versions.Zip(old).Where(static pair => pair.First != version).Select(static pair => pair.Second).Prepend(now))} |\n";
        }
        return text;
    }

    // A result is of all rules that there are; elsewhere of several stores or none.
    private static string Checked(string result, bool isElsewhere)
    {
        var rules = Number().Matches(result).Sum(static match => int.Parse(match.Value));
        return rules == EventStoreConformance.Rules.Count || (isElsewhere && rules % EventStoreConformance.Rules.Count == 0)
            ? result : "of other rules";
    }

    private static async Task<string> ResultAsync(Func<ConformanceRule, Task<bool>> checkAsync)
    {
        var (kept, skipped) = (0, 0);
        foreach (var rule in EventStoreConformance.Rules)
        {
            if (await checkAsync(rule))
                kept++;
            else
                skipped++;
        }
        return skipped == 0 ? $"{kept} kept" : $"{kept} kept, {skipped} not checked";
    }

    private static string NameOf(Type contract) => Words().Replace(contract.Name["Contract".Length..^"Tests".Length],
        static match => $" {match.Value.ToLowerInvariant()}").Trim();

    private static Func<ConformanceRule, Task<bool>> Check(Type contract) => async rule =>
    {
        using var stores = (EventStoreContract)Activator.CreateInstance(contract)!;
        return await stores.CheckAsync(rule);
    };

    private static async Task<bool> CheckInMemoryAsync(ConformanceRule rule)
    {
        await using var store = new ConformanceStore(InMemoryEventStore.Open());
        if (!rule.CanCheck(store))
            return false;
        await rule.CheckAsync(store);
        return true;
    }

    private static Regex Part(string name) => new($"(?<=\n)<!-- {name} -->\n((?:.*\n)*?)<!-- end -->");

    [GeneratedRegex("`([a-z-]+)`")]
    private static partial Regex Name();

    [GeneratedRegex("[A-Z][a-z0-9]*")]
    private static partial Regex Words();

    [GeneratedRegex("^(mounted|under) ")]
    private static partial Regex Elsewhere();

    [GeneratedRegex("[0-9]+")]
    private static partial Regex Number();
}

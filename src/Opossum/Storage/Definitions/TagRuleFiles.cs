using System.Security.Cryptography;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Storage.Definitions;

/// <summary>The files of the tag rules: one readable JSON file each, of which the index is made.</summary>
internal static class TagRuleFiles
{
    private const string Ending = ".json";
    private const int LengthMax = 64 * 1024;
    private const int NameDigits = 32;

    /// <summary>Reads the rules; none when the folder is missing.</summary>
    /// <exception cref="StoreOpenException">A file is not a rule, or there are too many.</exception>
    public static TagRuleSet Read(IFileSystem fileSystem, StoreLayout layout) =>
        TryRead(fileSystem, layout, out var problems) ?? throw new StoreOpenException(problems[0].Path, problems[0].Text);

    /// <summary>The same for an index that gives their tags: durable, or a power cut could take a rule that appends obeyed.</summary>
    /// <exception cref="StoreOpenException">A file is not a rule, or there are too many.</exception>
    public static TagRuleSet ReadDurable(IFileSystem fileSystem, StoreLayout layout)
    {
        var rules = Read(fileSystem, layout);
        if (rules.Rules.Count > 0)
            MakeDurable(fileSystem, layout, List(fileSystem, layout));
        return rules;
    }

    /// <summary>Reads the rules; null when a file is none, or there are too many.</summary>
    /// <param name="problems">The files that are wrong, or the folder, and what to do, as sentences.</param>
    public static TagRuleSet? TryRead(IFileSystem fileSystem, StoreLayout layout, out List<(string Path, string Text)> problems)
    {
        problems = [];
        var rules = new HashSet<TagRule>();
        foreach (var path in List(fileSystem, layout))
        {
            if (TryRead(fileSystem, path, out var ofFile) is { } rule)
                rules.Add(rule);
            else if (ofFile is not null)
                problems.Add((path, $"{path} is not a tag rule: {ofFile} Correct the file, or delete it."));
        }
        if (rules.Count > TagRuleSet.CountMax)
        {
            problems.Add((layout.Rules, $"{layout.Rules} has {rules.Count} tag rules; a store has at most {TagRuleSet.CountMax}. Delete "
                + "some of the files."));
        }
        return problems.Count == 0 ? TagRuleSet.Of(rules) : null;
    }

    /// <summary>What the files have that the index does not show, or the other way round; null: nothing.</summary>
    /// <param name="used">The rules of the index.</param>
    public static string? FindProblem(StoreFolder folder, TagRuleSet used)
    {
        if (TryRead(folder.FileSystem, folder.Layout, out var problems) is not { } rules)
            return problems[0].Text;
        return rules.IsSameAs(used) ? null
            : $"{folder.Layout.Rules} has other tag rules than those by which events are found: files were changed by hand, or a change is "
                + $"under way or was interrupted. {(folder.Volume.CachesIgnoreLocks ? "\"opossum reindex\"" : "The next opening for writing")} "
                + "takes the files in.";
    }

    public static IEnumerable<string> List(IFileSystem fileSystem, StoreLayout layout) =>
        fileSystem.ListIfThere(layout.Rules).Where(static name => name.EndsWith(Ending, StringComparison.Ordinal))
            .Order(StringComparer.Ordinal).Select(name => FilePath.Join(layout.Rules, name));

    /// <summary>Reads a file; null when it is missing or is no rule.</summary>
    /// <param name="problem">Why it is no rule, as a sentence; null when it is one, or is missing.</param>
    public static TagRule? TryRead(IFileSystem fileSystem, string path, out string? problem)
    {
        problem = null;
        // The member of a rule must be a path too.
        return SmallFile.Read(fileSystem, path, LengthMax) is not { Length: > 0 } bytes || DurableFile.IsRemoved(bytes) ? null
            : JsonFile.Parse(bytes, static rule => TagRuleSet.Of([Read(rule)]).Rules[0], out problem);
    }

    public static TagRule Read(JsonElement rule) =>
        new(TextOf(rule, "type"), TextOf(rule, "member"), TextOf(rule, "key"));

    public static void Write(Utf8JsonWriter writer, TagRule rule)
    {
        writer.WriteStartObject();
        writer.WriteString("type"u8, rule.EventType);
        writer.WriteString("member"u8, rule.Member);
        writer.WriteString("key"u8, rule.Key);
        writer.WriteEndObject();
    }

    /// <summary>Makes the files those of the rules, durably: writes those that are missing, and deletes others.</summary>
    /// <param name="removed">The rules whose files are deleted; null: all others. A file that is no rule is deleted in any case.</param>
    /// <param name="durable">The rules whose files are known to be durable; null: none is, and those that are found are flushed.</param>
    /// <returns>Whether a file was written or deleted.</returns>
    public static bool Settle(IFileSystem fileSystem, StoreLayout layout, TagRuleSet rules, IReadOnlyCollection<TagRule>? removed = null,
        TagRuleSet? durable = null)
    {
        var there = new HashSet<TagRule>();
        var unflushed = new List<string>();
        var isChanged = false;
        foreach (var path in List(fileSystem, layout).ToList())
        {
            if (TryRead(fileSystem, path, out _) is { } rule
                && (rules.Rules.Contains(rule) ? there.Add(rule) : removed?.Contains(rule) == false))
            {
                if (durable?.Rules.Contains(rule) != true)
                    unflushed.Add(path);
                continue;
            }
            DurableFile.MarkRemoved(fileSystem, path);
            fileSystem.Delete(path);
            isChanged = true;
        }
        if (isChanged)
            fileSystem.FlushFolder(layout.Rules);
        var missing = rules.Rules.Where(rule => !there.Contains(rule)).ToList();
        if (missing.Count + unflushed.Count == 0)
            return isChanged;
        fileSystem.CreateFolder(layout.Rules);
        foreach (var rule in missing)
            Write(fileSystem, layout, rule);
        MakeDurable(fileSystem, layout, unflushed);
        return isChanged || missing.Count > 0;
    }

    private static void MakeDurable(IFileSystem fileSystem, StoreLayout layout, IEnumerable<string> files)
    {
        foreach (var path in files)
            DurableFile.FlushFound(fileSystem, path);
        fileSystem.FlushFolder(layout.Rules);
        fileSystem.FlushFolder(layout.Root);
    }

    private static void Write(IFileSystem fileSystem, StoreLayout layout, TagRule rule)
    {
        var bytes = JsonFile.Of(json => Write(json, rule));
        // No file is named by what a user writes. The name is of the text without its line end.
        var name = Convert.ToHexStringLower(SHA256.HashData(bytes.AsSpan(..^1)))[..NameDigits];
        DurableFile.Replace(fileSystem, FilePath.Join(layout.Rules, name + Ending), bytes);
    }

    private static string TextOf(JsonElement rule, string name) => rule.TryGetProperty(name, out var text)
        ? text.GetString() ?? throw new FormatException($"Its {name} is null.")
        : throw new FormatException($"It has no member \"{name}\".");
}

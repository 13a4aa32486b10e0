using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;

namespace Opossum;

/// <summary>The rules for names of types, of tags and of folders, in one place, with their messages.</summary>
internal static class NameRules
{
    public const int EventTypeLengthMax = 1_000;
    public const int FolderNameLengthMax = 63;

    /// <summary>With it a tag rule's file stays shorter than what is read of it, also where each character is escaped.</summary>
    public const int TagRuleMemberLengthMax = 8_000;

    /// <summary>How the keys of tags begin that only the store gives.</summary>
    public const char ReservedTagMark = '$';

    private const int ReasonLengthMax = 1_000;
    private const int JoinedLengthMax = 300;
    private const int PartLengthMax = 500;

    public static void CheckEventType(string? type, string parameter)
    {
        ArgumentNullException.ThrowIfNull(type, parameter);
        if (type.Length == 0)
            throw new ArgumentException("The event type is empty; give it a stable name such as \"student-enrolled\".", parameter);
        CheckLength(type, EventTypeLengthMax, "The event type", parameter);
        CheckUnicode(type, "The event type", parameter);
    }

    public static void CheckTagKey(string? key, string parameter)
    {
        ArgumentNullException.ThrowIfNull(key, parameter);
        if (key.Length == 0)
        {
            throw new ArgumentException("The tag's key is empty; a tag has a key, such as featured, or a key and a value, such as course:c1.",
                parameter);
        }
        if (key.Contains(':', StringComparison.Ordinal))
        {
            throw new ArgumentException($"The tag key {Quote(key)} contains a ':', which separates key and value in the written form key:value. "
                + "Only a tag's value may contain a ':'.", parameter);
        }

        CheckLength(key, Tag.MaxKeyLength, "The tag's key", parameter);
        CheckUnicode(key, "The tag's key", parameter);
    }

    /// <summary>Checks that no tag of an event to append has a key that only the store gives.</summary>
    /// <exception cref="ArgumentException">A key is reserved.</exception>
    public static void RefuseReserved(ReadOnlySpan<Tag> tags)
    {
        foreach (var tag in tags)
        {
            if (tag.Key[0] == ReservedTagMark)
            {
                throw new ArgumentException($"Its tag {Quote(tag.Key)} begins with '{ReservedTagMark}', as only the keys of tags do that the store "
                    + "itself gives. Choose another key.");
            }
        }
    }

    /// <summary>Checks that an event to append, whose type this is, does not say that a person was forgotten: only forgetting appends it.</summary>
    /// <exception cref="ArgumentException">It does.</exception>
    public static void RefuseReserved(string type)
    {
        if (type == PersonForgotten.Name)
        {
            throw new ArgumentException($"Events of the type {type} are the store's own: each makes a person's data unreadable for good. "
                + "Forget the person (ForgetAsync, opossum forget), which appends one.");
        }
    }

    /// <summary>Checks a rule that gives tags to events.</summary>
    /// <exception cref="ArgumentException">It is not allowed.</exception>
    public static void CheckTagRule(string type, string member, string key)
    {
        CheckLength(member, TagRuleMemberLengthMax, "The path of the member", nameof(member));
        if (key[0] == ReservedTagMark)
        {
            throw new ArgumentException($"The tag key {Quote(key)} begins with '{ReservedTagMark}', as only the keys of tags do that the "
                + "store itself gives. Choose another key.", nameof(key));
        }
        if (type == PersonForgotten.Name)
        {
            throw new ArgumentException($"Events of the type {type} are the store's own: their tags say who was forgotten, so no rule gives them "
                + "others.", nameof(type));
        }
        if (member.Contains("$sealed", StringComparison.Ordinal))
            throw new ArgumentException($"The member {Quote(member)} is in encrypted data, of which no tag is made.", nameof(member));
    }

    public static void CheckTagValue(string? value, string parameter)
    {
        ArgumentNullException.ThrowIfNull(value, parameter);
        CheckLength(value, Tag.MaxValueLength, "The tag's value", parameter);
        CheckUnicode(value, "The tag's value", parameter);
    }

    /// <summary>
    /// Checks a name that a user gives to a folder. What is allowed is the same name, and a different one from all others, on every file system: it
    /// has no separators, dots, capitals or accents.
    /// </summary>
    /// <exception cref="ArgumentException">The name is not allowed.</exception>
    public static void CheckFolderName(string? name, string what, string parameter)
    {
        ArgumentNullException.ThrowIfNull(name, parameter);
        if (!HasFolderForm(name))
        {
            throw new ArgumentException($"{what} {Quote(name)} is not allowed: it is 1 to {FolderNameLengthMax} of a-z, 0-9 and '-', and does not "
                + "start with '-', because it names a folder.", parameter);
        }

        if (IsDeviceName(name))
        {
            throw new ArgumentException($"{what} {Quote(name)} is a device name on Windows, where no folder can have this name. Choose another name.",
                parameter);
        }
    }

    /// <summary>Checks the reason that a user gives for the record.</summary>
    /// <exception cref="ArgumentException">It is empty, too long or not valid Unicode. The message does not quote it.</exception>
    public static void CheckReason(string? reason, string parameter)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(reason, parameter);
        CheckUnicode(reason, "The reason", parameter);
        if (reason.Length > ReasonLengthMax)
        {
            throw new ArgumentException(string.Create(CultureInfo.InvariantCulture,
                $"The reason has {reason.Length:N0} characters; at most {ReasonLengthMax:N0} are allowed."), parameter);
        }
    }

    public static bool IsFolderName(string name) => HasFolderForm(name) && !IsDeviceName(name);

    /// <summary>Whether Windows treats the name as a device, whatever its extension.</summary>
    public static bool IsDeviceName(string name) => name is "con" or "prn" or "aux" or "nul"
        || (name.Length == 4 && char.IsAsciiDigit(name[3]) && name[..3] is "com" or "lpt");

    /// <summary>The text of an object as a tag's value; null for a collection, which gives one tag per element.</summary>
    /// <exception cref="ArgumentException">The object has no text.</exception>
    public static string? TagValueOf(object value) => value switch
    {
        string text => text,
        bool flag => flag ? "true" : "false",
        DateTime or DateTimeOffset or DateOnly or TimeOnly => ((IFormattable)value).ToString("O", CultureInfo.InvariantCulture),
        IFormattable formattable => formattable.ToString(null, CultureInfo.InvariantCulture),
        IEnumerable => null,
        _ => OwnText(value),
    };

    /// <summary>Checks a type of which tags' values are declared, as far as it alone says what they are.</summary>
    /// <exception cref="ArgumentException">Its values have no text of their own.</exception>
    public static void CheckTagType(Type type)
    {
        if (type == typeof(string) || type.IsAssignableTo(typeof(IFormattable)))
            return;
        if (FSharpTypes.InnerOf(type) is { } inner)
            CheckTagType(inner);
        else if (type.IsAssignableTo(typeof(IEnumerable)))
            ElementsOf(type).ForEach(CheckTagType);
        else if (type.IsSealed && HasGeneratedText(type))
            throw NoText(type);
    }

    /// <summary>The name under which a CLR type's events are stored, from its attribute; every store registers the type under this name.</summary>
    /// <exception cref="ArgumentException">The type has no <see cref="EventTypeAttribute"/>.</exception>
    public static string EventTypeOf(Type type, string otherwise) =>
        type.GetCustomAttribute<EventTypeAttribute>(inherit: false)?.Name
        ?? throw new ArgumentException($"{type} has no [EventType(\"...\")]. Give it one, or {otherwise}");

    public static void CheckUnicode(string text, string what, string parameter)
    {
        for (var at = 0; at < text.Length; at++)
        {
            if (!char.IsSurrogate(text[at]))
                continue;
            if (at + 1 == text.Length || !char.IsSurrogatePair(text[at], text[at + 1]))
            {
                throw new ArgumentException(string.Create(CultureInfo.InvariantCulture,
                    $"{what} is not valid Unicode: the surrogate U+{(int)text[at]:X4} at index {at} stands alone."), parameter);
            }

            at++;
        }
    }

    /// <summary>Joins the parts in about a thousand characters at most; the parts that do not fit are counted.</summary>
    public static string JoinBriefly<T>(string separator, T[] parts)
    {
        var text = new StringBuilder();
        for (var at = 0; at < parts.Length; at++)
        {
            if (at > 0)
                text.Append(separator);
            if (text.Length > JoinedLengthMax)
                return text.Append(CultureInfo.InvariantCulture, $"{parts.Length - at:N0} more").ToString();
            text.Append(Cut($"{parts[at]}"));
        }
        return text.ToString();
    }

    /// <summary>The text in quotes, cut to a length that fits a message.</summary>
    public static string Quote(string text) => text.Length <= 80 ? $"\"{text}\"" : $"\"{text[..80]}\"...";

    private static bool HasFolderForm(string name) => name.Length is > 0 and <= FolderNameLengthMax && name[0] != '-'
        && name.All(static each => each is (>= 'a' and <= 'z') or (>= '0' and <= '9') or '-');

    // The inherited ToString returns the type's name, which would give all events the same tag; that of a record shows the names of its members.
    private static string OwnText(object value) =>
        value.ToString() is { } text && text != value.GetType().ToString() && !HasGeneratedText(value.GetType())
            ? text
            : throw NoText(value.GetType());

    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "A text whose origin is not known is taken.")]
    private static bool HasGeneratedText(Type type) => !FSharpTypes.IsCaseWithoutFields(type)
        && type.GetMethod(nameof(ToString), Type.EmptyTypes)?.IsDefined(typeof(CompilerGeneratedAttribute)) == true;

    // Of a collection of collections, which may be one of itself, the values decide.
    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "Elements whose type is not known are looked at when they are appended.")]
    private static List<Type> ElementsOf(Type type) => [.. type.GetInterfaces().Append(type)
        .Where(static each => each.IsGenericType && each.GetGenericTypeDefinition() == typeof(IEnumerable<>))
        .Select(static each => each.GenericTypeArguments[0]).Where(static each => !each.IsAssignableTo(typeof(IEnumerable)))];

    private static ArgumentException NoText(Type type) => new($"{type} has no ToString of its own. Give it one that returns the tag's value.");

    private static string Cut(string text) =>
        text.Length <= PartLengthMax ? text : $"{text[..(char.IsHighSurrogate(text[PartLengthMax - 1]) ? PartLengthMax - 1 : PartLengthMax)]}...";

    private static void CheckLength(string text, int lengthMax, string what, string parameter)
    {
        if (text.Length > lengthMax)
        {
            throw new ArgumentException(string.Create(CultureInfo.InvariantCulture,
                $"{what} has {text.Length:N0} characters; at most {lengthMax:N0} are allowed. It begins with {Quote(text)}."), parameter);
        }
    }
}

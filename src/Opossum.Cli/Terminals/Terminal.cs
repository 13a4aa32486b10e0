using System.Text;
using System.Text.Json;
using Opossum.Cli.Commands;
using Spectre.Console;

namespace Opossum.Cli.Terminals;

/// <summary>Where a command reads and writes: the process's streams, or a test's.</summary>
/// <param name="output">Receives reports, and nothing else.</param>
/// <param name="error">Opens what receives errors, questions and progress. Only when it is needed: the console's takes milliseconds.</param>
/// <param name="input">
/// Opens what the user types or pipes in. Only when it is needed: opening a console's input changes the terminal's mode.
/// </param>
internal sealed class Terminal(TextWriter output, Func<TextWriter> error, Func<TextReader> input) : IDisposable
{
    private const int WidthUnlessKnown = 80;
    private const int OutputBuffer = 64 * 1024;

    public TextWriter Out => output;

    /// <summary>Receives errors, questions and progress; what cannot be written there is left out.</summary>
    public TextWriter Error => new ErrorWriter(error());

    /// <summary>The same as the console has it, by which Spectre knows a screen.</summary>
    public TextWriter ErrorScreen => error();

    public TextReader In => input();

    /// <summary>Finds the store that is meant where none is named; null: there is none.</summary>
    public Func<string?> FindDefaultStore { get; init; } = static () => null;

    /// <summary>Opens what is piped in, in bytes: a console may have another encoding than the data. Null: as <see cref="In"/> reads it.</summary>
    public Func<Stream>? InBytes { get; init; }

    /// <summary>Whether a person reads the output on a screen.</summary>
    public bool IsScreen { get; init; }

    /// <summary>Whether a person sees the errors, so that progress may be drawn there.</summary>
    public bool IsErrorScreen { get; init; }

    /// <summary>Whether a person can be asked: keyboard and screen are there.</summary>
    public bool CanAsk { get; init; }

    public bool HasColours { get; init; }

    /// <summary>The width of the screen in characters; 80 when there is none.</summary>
    public int Width { get; init; } = WidthUnlessKnown;

    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    public static Terminal OfProcess()
    {
        var isScreen = !Console.IsOutputRedirected;
        var isErrorScreen = !Console.IsErrorRedirected;
        if (OperatingSystem.IsWindows() && (isScreen || isErrorScreen))
            Console.OutputEncoding = Encoding.UTF8;
        if (OperatingSystem.IsWindows() && !Console.IsInputRedirected)
            Console.InputEncoding = Encoding.Unicode;
        var output = new StreamWriter(StandardOutput.Open(), new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), OutputBuffer);
        return new Terminal(output, static () => Console.Error, static () => Console.In)
        {
            IsScreen = isScreen,
            IsErrorScreen = isErrorScreen,
            CanAsk = isErrorScreen && !Console.IsInputRedirected,
            FindDefaultStore = StorePath.FindDefault,
            InBytes = OperatingSystem.IsWindows() && !Console.IsInputRedirected ? null : static () => Console.OpenStandardInput(),
            HasColours = isScreen && WantsColours(),
            Width = isScreen || isErrorScreen ? WidthOfScreen() : WidthUnlessKnown,
        };
    }

    /// <summary>Opens the input in UTF-8, or in the bytes that are piped in. Ends with a cancellation.</summary>
    public Stream OpenInput(CancellationToken cancellationToken) => InBytes is { } open
        ? new InterruptibleStream(open(), cancellationToken)
        : PartsStream.OfText(In);

    /// <summary>Writes an error. It may name what a store or a file has, which must not control the terminal.</summary>
    public void WriteError(string message)
    {
        var lines = message.Split(["\r\n", "\n"], StringSplitOptions.None).Select(Text.Visible);
        Error.WriteLine($"opossum: {string.Join(Error.NewLine, lines)}");
    }

    public void WriteJson<TReport>(TReport report) => output.WriteLine(JsonSerializer.Serialize(report, typeof(TReport), ReportJson.Default));

    /// <summary>Text in a style, or as it is when reports are not coloured.</summary>
    public string Paint(Style style, string text) => HasColours ? $"\e[{(int)style}m{text}\e[0m" : text;

    /// <summary>Text that fits into a part of a screen's line; all of it when the output is no screen.</summary>
    public string Cut(string text, int room)
    {
        if (!IsScreen || text.Length <= room)
            return text;
        var length = Math.Max(0, room - 1);
        if (length > 0 && char.IsHighSurrogate(text[length - 1]))
            length--;
        return $"{text[..length]}…";
    }

    /// <summary>Writes what is buffered, unless nobody reads it.</summary>
    public void TryFlush()
    {
        try
        {
            output.Flush();
        }
        catch (IOException)
        {
            // The output is gone; the error that is being reported matters more.
        }
    }

    public void Dispose() => TryFlush();

    // See no-color.org. On Windows, Spectre finds out whether the console takes colours, and switches them on.
    private static bool WantsColours() =>
        string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR"))
        && (OperatingSystem.IsWindows()
            ? AnsiConsole.Console.Profile.Capabilities.Ansi
            : Environment.GetEnvironmentVariable("TERM") is not (null or "" or "dumb"));

    private static int WidthOfScreen()
    {
        try
        {
            return Console.WindowWidth is > 0 and var width ? width : WidthUnlessKnown;
        }
        catch (IOException)
        {
            return WidthUnlessKnown;
        }
    }
}
